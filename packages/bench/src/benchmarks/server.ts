import { join } from "node:path";

import { freePort } from "@tryon/test-kit/free-port";
import { root } from "@tryon/test-kit/repository";
import type { Benchmark } from "../benchmark.ts";
import { benchKey } from "../candidates/fixtures.ts";
import { nameOf, prism } from "../peers.ts";
import { mediansOf, ratioOf, ratiosTo, takeTurns } from "../statistics.ts";

const autocannon =
  "node_modules/autocannon/autocannon.js --json --no-progress --connections 16 --duration 1 --headers";

export const serverBenchmarks: readonly Benchmark[] = [
  {
    name: "account",
    title: "Account over HTTP",
    groups: {
      rate: "Throughput (calls/s)",
      ratio: "Throughput ratio (×)",
    },
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
    groups: {
      rate: "Throughput (calls/s)",
      ratio: "Throughput ratio to a bare Request and Response (×)",
    },
    async *measure(environment) {
      for (let round = 0; round < 7; round += 1)
        yield environment.runCandidate("in-process.mjs", "submissions");
    },
  },
  {
    name: "jobs",
    title: "Reference server with many jobs",
    groups: {
      memory: "Memory of the jobs after a garbage collection (MB)",
      start: "Start with the state file (ms)",
    },
    async *measure(environment) {
      for (let round = 0; round < 3; round += 1)
        for (const count of ["60000", "200000"])
          yield environment.run("--expose-gc", "in-process.mjs", "jobs", count);
    },
  },
  {
    name: "image",
    title: "Stock image",
    groups: { time: "Time per image (ms)" },
    async *measure(environment) {
      for (let round = 0; round < 21; round += 1)
        yield environment.runCandidate("in-process.mjs", "image");
    },
  },
  {
    name: "command",
    title: "Start of tryon-mock",
    groups: {
      time: "Time (ms)",
      ratio: "Ratio to an empty Node process (×)",
    },
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
