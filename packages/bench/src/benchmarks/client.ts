import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Benchmark } from "../benchmark.ts";
import { bareFetch, clients, uploaders } from "../candidates/clients.ts";
import { createImage } from "../candidates/fixtures.ts";
import { clientPeers, nameOf } from "../peers.ts";
import { mediansOf, ratioOf, takeTurns } from "../statistics.ts";

const own = "@tryon/client";
const files = `${own}, files`;

export const clientBenchmarks: readonly Benchmark[] = [
  {
    name: "small",
    title: "Small request",
    groups: {
      time: "Time per call, one at a time (µs)",
      ratio: "Ratio to bare fetch, one at a time (×)",
      concurrentRatio: "Ratio to bare fetch, 50 at once (×)",
    },
    samplesPerRun: 3,
    async *measure(environment) {
      const url = await environment.serve(["servers.mjs", "bare"]);
      for (const name of Array.from({ length: 21 }, () => Object.keys(clients)).flat())
        if (name !== bareFetch)
          yield environment.runCandidate("in-process.mjs", "small", name, url);
    },
  },
  {
    name: "upload",
    title: "Upload of four images of 10 MiB",
    groups: {
      memory: "Peak memory, ratio to the size of the images (×)",
      time: "Time (ms)",
      ratio: "Time, ratio to naive (×)",
      concurrentMemory: "Peak memory of 50 uploads of 5 MiB at once, over the start (MiB)",
    },
    samplesPerRun: 3,
    async *measure(environment) {
      const names = ["person", "shirt", "trousers", "shoes"];
      const images = names.map((name) => join(environment.folder, name));
      for (const image of images) await writeFile(image, createImage(10 * 2 ** 20));
      const halves = ["half", "other half"].map((name) => join(environment.folder, name));
      for (const image of halves) await writeFile(image, createImage(2.5 * 2 ** 20));
      const url = await environment.serve(["servers.mjs", "sink"]);
      for (let round = 0; round < 15; round += 1) {
        yield environment.runCandidate("--expose-gc", "in-process.mjs", "upload", url, ...images);
        for (const name of Object.keys(uploaders))
          yield environment.runCandidate("upload.mjs", "1", name, url, ...images);
        for (const name of [files, `${files} over fetch`])
          yield environment.runCandidate("upload.mjs", "50", name, url, ...halves);
      }
    },
  },
  {
    name: "rejected",
    title: "Rejected request bodies",
    groups: {
      proxyRatio: "Time in the proxy, ratio to a photo (×)",
      mockRatio: "Time in @tryon/mock, ratio to a photo (×)",
    },
    async *measure(environment) {
      for (const server of Array.from({ length: 7 }, () => ["proxy", "mock"]).flat())
        yield environment.runCandidate("--expose-gc", "in-process.mjs", "rejected", server);
    },
  },
  {
    name: "weight",
    title: "Weight of a client in a browser",
    groups: { whole: "Weight (bytes)" },
    async *measure(environment) {
      for (const peer of [own, ...clientPeers]) {
        const exported = { [own]: "TryOn", "@fal-ai/client": "fal" }[nameOf(peer)] ?? "default";
        const line = `export { ${exported} } from "${nameOf(peer)}";`;
        yield { whole: { [peer]: await environment.bundledSize(line) } };
      }
      const page = `export { PageClient, createTryOnSession } from "${own}/session";
        export { useTryOn } from "${own}/react";`;
      yield {
        whole: { [`${own} PageClient, session, React`]: await environment.bundledSize(page) },
      };
    },
  },
  {
    name: "import",
    title: "Import time",
    groups: {
      time: "Time (ms)",
      ratio: "Ratio to openapi-fetch (×)",
    },
    async *measure(environment) {
      const code =
        "const start = performance.now(); await import(process.argv[1]); console.log(performance.now() - start)";
      const time = async (name: string): Promise<number> =>
        Number(await environment.node("--input-type=module", "-e", code, name));
      for (let round = 0; round < 7; round += 1) {
        const names = [own, ...clientPeers.map(nameOf), "@tryon/webhooks", "svix"];
        const times = await takeTurns(names, 9, time);
        yield { time: mediansOf(times), ratio: { [own]: ratioOf(times, own, "openapi-fetch") } };
      }
    },
  },
];
