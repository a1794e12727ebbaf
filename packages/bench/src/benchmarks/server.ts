import { once } from "node:events";
import { get } from "node:http";
import { join } from "node:path";

import { freePort } from "@tryon/test-kit/free-port";
import { root } from "@tryon/test-kit/repository";
import type { Benchmark } from "../benchmark.ts";
import { account } from "../candidates/calls.ts";
import { benchKey } from "../candidates/fixtures.ts";
import { nameOf, prism } from "../peers.ts";
import { mediansOf, ratioOf, ratiosTo, takeTurns } from "../statistics.ts";

const autocannon =
  "node_modules/autocannon/autocannon.js --json --no-progress --connections 16 --duration 1 --headers";

const servers = {
  bare: "bare node:http",
  ours: "@tryon/mock",
  prism: "Prism",
  prismSilent: "Prism, silent",
} as const;

/** `GET /api/v1/account` over HTTP. */
export const accountOverHttp: Benchmark = {
  name: "account",
  title: "Account over HTTP",
  method:
    "autocannon sends `GET /api/v1/account` over 16 connections to one server after another, for one second per turn. @tryon/mock authenticates, counts the rate limit and keeps its journal; Prism returns an example of the same contract, with its default log or silent.",
  groups: {
    rate: { title: "Throughput", unit: "calls/s", chart: true },
    ratio: {
      title: "Throughput ratio",
      unit: "×",
      goals: {
        [`${servers.ours} / ${servers.prism}`]: {
          min: 10,
          reason:
            "A third of the server's time is the kernel sending responses, 13 % are promises and `node:http`, 8 % web `Request` and `Response` objects; no function of the server takes more than 2 %.",
        },
      },
    },
  },
  async *measure(environment) {
    const cli = `node_modules/${nameOf(prism)}/dist/index.js`;
    const contract = join(root, "spec/openapi.json");
    const startPrism = async (level: string): Promise<string> => {
      const port = await freePort();
      const args = [cli, "mock", contract, "--port", `${port}`, "--verboseLevel", level];
      return environment.serve(args, `http://127.0.0.1:${port}`);
    };
    const urls: Readonly<Record<string, string>> = {
      [servers.bare]: await environment.serve(["servers.mjs", "bare", account]),
      [servers.ours]: await environment.serve(["servers.mjs", "mock"]),
      [servers.prism]: await startPrism("info"),
      [servers.prismSilent]: await startPrism("silent"),
    };
    const load = async (name: string): Promise<number> => {
      const output = await environment.node(
        ...autocannon.split(" "),
        `authorization=Bearer ${benchKey.token}`,
        `${urls[name]}/api/v1/account`,
      );
      // The report of autocannon.
      const report = JSON.parse(output) as { "2xx": number; non2xx: number; duration: number };
      if (report.non2xx > 0) throw new Error(`${name} answered with another status than 200.`);
      return report["2xx"] / report.duration;
    };
    const names = Object.values(servers);
    await takeTurns(names, 1, load);
    for (let round = 0; round < 7; round += 1) {
      const rates = await takeTurns(names, 3, load);
      const { ours, ...others } = servers;
      const ratios = Object.values(others).map((other) => {
        return [`${ours} / ${other}`, ratioOf(rates, ours, other)];
      });
      yield { rate: mediansOf(rates), ratio: Object.fromEntries(ratios) };
    }
  },
};

export const submissions: Benchmark = {
  name: "submissions",
  title: "Submissions in process",
  method:
    "One process calls `mock.fetch` with `POST /api/v1/tryon` (`wait: false`, image URLs, manual clock), one call after another. Each run is a new process: 20,000 calls to warm up, then the median of ten blocks of 2,000.",
  groups: {
    rate: {
      title: "Throughput",
      unit: "calls/s",
      goals: {
        "@tryon/mock: POST /api/v1/tryon": {
          min: 12_000,
          reason:
            "10 % of the time is garbage collection, 17 % are web `Request` and `Response` objects, 8 % the SHA-256 fingerprint of the request, 6 % random ids.",
        },
      },
    },
  },
  async *measure(environment) {
    for (let round = 0; round < 7; round += 1)
      yield environment.run("in-process.mjs", "submissions");
  },
};

export const calls: Benchmark = {
  name: "calls",
  title: "Single calls in one process",
  method:
    "tinybench times blocks of 400 calls in turns within one process; the figure of a run is the median of 12 blocks. The instant fetch returns a response from memory, so its rows show what the client itself adds.",
  groups: { time: { title: "Time per call", unit: "µs", chart: true } },
  async *measure(environment) {
    for (let round = 0; round < 5; round += 1) yield environment.run("in-process.mjs", "calls");
  },
};

export const stockImage: Benchmark = {
  name: "image",
  title: "Stock image",
  method:
    "Each run is a new process that renders images of 768 × 1,024 pixels with the stock engine. Loading the code does not count.",
  groups: {
    time: {
      title: "Time per image",
      unit: "ms",
      goals: {
        "first image": {
          max: 15,
          reason:
            "The first image is drawn by code that no compiler has optimized yet; the last row is the same work afterwards.",
        },
      },
    },
  },
  async *measure(environment) {
    for (let round = 0; round < 21; round += 1) yield environment.run("in-process.mjs", "image");
  },
};

export const commandStart: Benchmark = {
  name: "command",
  title: "Start of tryon-mock",
  method:
    "The time from `tryon-mock serve --port 0` to its first response, in turns with `node -e 0`. A run is the median of seven turns.",
  groups: {
    time: { title: "Time", unit: "ms" },
    ratio: {
      title: "Ratio to an empty Node process",
      unit: "×",
      goals: {
        "tryon-mock": { max: 4, reason: "The rest is loading the server and its first response." },
      },
    },
  },
  async *measure(environment) {
    const empty = "empty Node process";
    const start = async (name: string): Promise<number> => {
      const begin = performance.now();
      if (name === empty) await environment.node("-e", "0");
      else {
        const command = "node_modules/@tryon/mock/dist/cli.js";
        const url = await environment.serve([command, "serve", "--port", "0", "--quiet"]);
        const [response] = await once(get(url), "response");
        if (response.statusCode !== 200) throw new Error(`Got ${response.statusCode}.`);
        await once(response.resume(), "end");
      }
      const time = performance.now() - begin;
      await environment.stopServers();
      return time;
    };
    for (let round = 0; round < 9; round += 1) {
      const times = await takeTurns([empty, "tryon-mock"], 7, start);
      yield { time: mediansOf(times), ratio: ratiosTo(empty, times) };
    }
  },
};
