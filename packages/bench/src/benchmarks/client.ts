import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Benchmark } from "../benchmark.ts";
import { bareFetch, clients, uploaders } from "../candidates/clients.ts";
import { createImage } from "../candidates/fixtures.ts";
import { clientPeers, nameOf } from "../peers.ts";
import { mediansOf, ratioOf, takeTurns } from "../statistics.ts";

const ours = "@tryon/client";
const [features, files, memory] = [`${ours}, all features`, `${ours}, files`, `${ours}, memory`];
const middleware = "undici creates the `Request` and the `Response` of the middleware.";
const garbage = "Buffers of sent data stay in memory until the next garbage collection.";
const checks = "It also checks images and names.";
const size = "The client is one file of 128 kB, and openapi-fetch of 17 kB.";
const loopback = "Base64 and the loopback connection take most of the time.";

export const clientBenchmarks: readonly Benchmark[] = [
  {
    name: "small",
    title: "Small request",
    method:
      'Each client reads the account, or the smallest resource of a peer, from a bare `node:http` server in another process. Blocks of 50 calls through one client and through bare `fetch` take nine turns in a process; a run is the median of three processes. All features are retries, a logger, an abort signal, a deadline and a middleware. Rows with `fetch` have `transport: "fetch"`; the others of @tryon/client send over `node:http`.',
    groups: {
      time: { title: "Time per call, one at a time", unit: "µs" },
      ratio: { title: "Ratio to bare fetch, one at a time", unit: "×", chart: true },
      crowdedRatio: { title: "Ratio to bare fetch, 50 at once", unit: "×", chart: true },
    },
    goals: [
      { group: "ratio", row: features, max: 1.05, reason: middleware },
      { group: "crowdedRatio", row: features, max: 1, reason: middleware },
    ],
    samplesPerRun: 3,
    async *measure(environment) {
      const url = await environment.serve(["servers.mjs", "bare"]);
      for (const name of Array.from({ length: 21 }, () => Object.keys(clients)).flat())
        if (name !== bareFetch) yield environment.run("in-process.mjs", "small", name, url);
    },
  },
  {
    name: "upload",
    title: "Upload of four images of 10 MiB",
    method:
      'Each client uploads a person and three garments to a server that discards them. Peak memory is the growth of `VmHWM` during the first upload of a process; the times come from other processes in which the clients take four turns. A run is the median of three processes. Naive is `JSON.stringify` with `toString("base64")`, sent by `fetch`. Rows of @tryon/client with `fetch` have `transport: "fetch"`; the others send over `node:http`. In the last table, a process starts 50 uploads of two files of 2.5 MiB at once.',
    groups: {
      memory: { title: "Peak memory, ratio to the size of the images", unit: "×", chart: true },
      time: { title: "Time", unit: "ms", chart: true },
      ratio: { title: "Time, ratio to naive", unit: "×" },
      crowdedMemory: {
        title: "Peak memory of 50 uploads of 5 MiB at once, over the start",
        unit: "MiB",
        chart: true,
      },
    },
    goals: [
      { group: "memory", row: files, max: 0.4, reason: garbage },
      { group: "memory", row: memory, max: 0.4, reason: garbage },
      { group: "ratio", row: files, max: 0.4, reason: loopback },
      { group: "ratio", row: memory, max: 0.4, reason: loopback },
      { group: "crowdedMemory", row: files, max: 60, reason: garbage },
    ],
    samplesPerRun: 3,
    async *measure(environment) {
      const names = ["person", "shirt", "trousers", "shoes"];
      const images = names.map((name) => join(environment.folder, name));
      for (const image of images) await writeFile(image, createImage(10 * 2 ** 20));
      const halves = ["half", "other half"].map((name) => join(environment.folder, name));
      for (const image of halves) await writeFile(image, createImage(2.5 * 2 ** 20));
      const url = await environment.serve(["servers.mjs", "sink"]);
      for (let round = 0; round < 15; round += 1) {
        yield environment.run("--expose-gc", "in-process.mjs", "upload", url, ...images);
        for (const name of Object.keys(uploaders))
          yield environment.run("upload.mjs", "1", name, url, ...images);
        for (const name of [files, `${files}, fetch`])
          yield environment.run("upload.mjs", "50", name, url, ...halves);
      }
    },
  },
  {
    name: "rejected",
    title: "Rejected request bodies",
    method:
      "Bodies of 14 MB take turns in one process, in a proxy whose service responds at once and in the reference server. The photo gets 200; the others are costly to parse and get 400 or 422.",
    groups: {
      proxyRatio: { title: "Time in the proxy, ratio to a photo", unit: "×" },
      mockRatio: { title: "Time in @tryon/mock, ratio to a photo", unit: "×" },
    },
    goals: ["proxyRatio", "mockRatio"].map((group) => ({ group, row: "200 long names", max: 3 })),
    async *measure(environment) {
      for (const server of Array.from({ length: 7 }, () => ["proxy", "mock"]).flat())
        yield environment.run("--expose-gc", "in-process.mjs", "rejected", server);
    },
  },
  {
    name: "weight",
    title: "Weight of a client in a browser",
    method: "esbuild bundles one import of each package, minified and compressed with gzip.",
    groups: { whole: { title: "Weight", unit: "bytes", chart: true } },
    goals: [{ group: "whole", row: ours, max: 20_000, reason: checks }],
    async *measure(environment) {
      for (const peer of [ours, ...clientPeers]) {
        const exported = { [ours]: "TryOn", "@fal-ai/client": "fal" }[nameOf(peer)] ?? "default";
        const line = `export { ${exported} } from "${nameOf(peer)}";`;
        yield { whole: { [peer]: await environment.bundledSize(line) } };
      }
    },
  },
  {
    name: "import",
    title: "Import time",
    method:
      "Each process imports one installed package and times that; the start of Node does not count. The packages take turns, and a run is the median ratio of nine turns.",
    groups: {
      time: { title: "Time", unit: "ms", chart: true },
      ratio: { title: "Ratio to openapi-fetch", unit: "×" },
    },
    goals: [{ group: "ratio", row: ours, max: 2, reason: size }],
    async *measure(environment) {
      const code =
        "const start = performance.now(); await import(process.argv[1]); console.log(performance.now() - start)";
      const time = async (name: string): Promise<number> =>
        Number(await environment.node("--input-type=module", "-e", code, name));
      for (let round = 0; round < 7; round += 1) {
        const times = await takeTurns([ours, ...clientPeers.map(nameOf)], 9, time);
        yield { time: mediansOf(times), ratio: { [ours]: ratioOf(times, ours, "openapi-fetch") } };
      }
    },
  },
];
