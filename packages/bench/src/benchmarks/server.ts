import { join } from "node:path";

import { freePort } from "@tryon/test-kit/free-port";
import { root } from "@tryon/test-kit/repository";
import type { Benchmark } from "../benchmark.ts";
import { benchKey } from "../candidates/fixtures.ts";
import { nameOf, prism } from "../peers.ts";
import { mediansOf, ratioOf, ratiosTo, takeTurns } from "../statistics.ts";

const autocannon =
  "node_modules/autocannon/autocannon.js --json --no-progress --connections 16 --duration 1 --headers";
const kernel =
  "A third of the server's time is the kernel sending responses, 13 % are promises and `node:http`, 8 % web `Request` and `Response` objects; no function of the server takes more than 2 %.";
const objects =
  "20 % of the time are web `Request` and `Response` objects and their streams, 10 % the image of the job, 9 % the store, 8 % garbage collection.";
const compiling =
  "The first image is drawn by code that no compiler has optimized yet; the last row is the same work afterwards.";
const loading = "The rest is loading the server and its first response.";

export const serverBenchmarks: readonly Benchmark[] = [
  {
    name: "account",
    title: "Account over HTTP",
    method:
      "autocannon sends `GET /api/v1/account` over 16 connections to one server after another, for one second per turn. @tryon/mock authenticates, counts the rate limit and keeps its journal; Prism returns an example of the same contract, with its default log or silent.",
    groups: {
      rate: { title: "Throughput", unit: "calls/s", chart: true },
      ratio: { title: "Throughput ratio", unit: "×" },
    },
    goals: [{ group: "ratio", row: "@tryon/mock / Prism", min: 10, reason: kernel }],
    async *measure(environment) {
      const startPrism = async (verboseLevel: string): Promise<string> => {
        const port = String(await freePort());
        const options = `mock --port ${port} --verboseLevel ${verboseLevel}`.split(" ");
        const args = [`node_modules/${nameOf(prism)}/dist/index.js`, ...options];
        return environment.serve(
          [...args, join(root, "spec/openapi.json")],
          `http://127.0.0.1:${port}`,
        );
      };
      const urls: Readonly<Record<string, string>> = {
        "bare node:http": await environment.serve(["servers.mjs", "bare"]),
        "@tryon/mock": await environment.serve(["servers.mjs", "mock"]),
        Prism: await startPrism("info"),
        "Prism, silent": await startPrism("silent"),
      };
      const load = async (name: string): Promise<number> => {
        const authorization = `authorization=Bearer ${benchKey.token}`;
        const url = `${urls[name]}/api/v1/account`;
        const output = await environment.node(...autocannon.split(" "), authorization, url);
        // The report of autocannon.
        const report = JSON.parse(output) as Record<"2xx" | "non2xx" | "duration", number>;
        if (report.non2xx > 0) throw new Error(`${name} answered with another status than 200.`);
        return report["2xx"] / report.duration;
      };
      const names = Object.keys(urls);
      await takeTurns(names, 1, load);
      for (let round = 0; round < 7; round += 1) {
        const rates = await takeTurns(names, 7, load);
        yield { rate: mediansOf(rates) };
        for (const name of ["Prism", "Prism, silent", "bare node:http"])
          yield { ratio: { [`@tryon/mock / ${name}`]: ratioOf(rates, "@tryon/mock", name) } };
      }
    },
  },
  {
    name: "submissions",
    title: "Submissions in process",
    method:
      "One process calls `mock.fetch` with `POST /api/v1/tryon` (`wait: false`, image URLs, manual clock), one call after another. Each run is a new process: 20,000 calls to warm up, then the median of ten blocks of 2,000.",
    groups: { rate: { title: "Throughput", unit: "calls/s" } },
    goals: [
      { group: "rate", row: "@tryon/mock: POST /api/v1/tryon", min: 12_000, reason: objects },
    ],
    async *measure(environment) {
      for (let round = 0; round < 7; round += 1)
        yield environment.run("in-process.mjs", "submissions");
    },
  },
  {
    name: "image",
    title: "Stock image",
    method:
      "Each run is a new process that renders images of 768 × 1,024 pixels with the stock engine. Loading the code does not count.",
    groups: { time: { title: "Time per image", unit: "ms" } },
    goals: [{ group: "time", row: "first image", max: 15, reason: compiling }],
    async *measure(environment) {
      for (let round = 0; round < 21; round += 1) yield environment.run("in-process.mjs", "image");
    },
  },
  {
    name: "command",
    title: "Start of tryon-mock",
    method:
      "The time from `tryon-mock serve --port 0` to its first response, in turns with `node -e 0`. A run is the median of 15 turns.",
    groups: {
      time: { title: "Time", unit: "ms" },
      ratio: { title: "Ratio to an empty Node process", unit: "×" },
    },
    goals: [{ group: "ratio", row: "tryon-mock", max: 4, reason: loading }],
    async *measure(environment) {
      const empty = "empty Node process";
      const start = async (name: string): Promise<number> => {
        const begin = performance.now();
        const command = "node_modules/@tryon/mock/dist/cli.js serve --port 0 --quiet";
        if (name === empty) await environment.node("-e", "0");
        else await environment.serve(command.split(" "));
        const time = performance.now() - begin;
        await environment.stopServers();
        return time;
      };
      for (let round = 0; round < 9; round += 1) {
        const times = await takeTurns([empty, "tryon-mock"], 15, start);
        yield { time: mediansOf(times), ratio: ratiosTo(empty, times) };
      }
    },
  },
];
