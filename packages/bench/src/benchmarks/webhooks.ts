import { fileURLToPath } from "node:url";

import { startPostgres, startRedis, startSqlite } from "@tryon/test-kit/store-servers";

import type { Benchmark } from "../benchmark.ts";
import { bareHmac, bareHmacAndParse } from "../candidates/verifiers.ts";
import type { Environment } from "../environment.ts";
import type { Sample } from "../statistics.ts";

const comparison = "@tryon/webhooks, comparison";
const whole = "@tryon/webhooks, safeVerifySync";
const control = "control that stops at the first difference";

const bareHandler = "bare handler";
const bareExpress = "Express with a bare handler";
const express = "@tryon/webhooks with Express, memory";
const noStore = async () => ({ url: "", remove: async () => undefined });
const receivers = [
  { kind: "bare", row: bareHandler, start: noStore },
  { kind: "memory", row: "@tryon/webhooks, memory", start: noStore },
  { kind: "sqlite", row: "@tryon/webhooks, SQLite", start: startSqlite },
  { kind: "sqlite-full", row: "@tryon/webhooks, SQLite, FULL", start: startSqlite },
  { kind: "redis", row: "@tryon/webhooks, Redis", start: startRedis },
  { kind: "postgres", row: "@tryon/webhooks, PostgreSQL", start: startPostgres },
  { kind: "express-bare", row: bareExpress, start: noStore },
  { kind: "express", row: express, start: noStore },
] as const;

const baseOf = (row: string): string => (row === express ? bareExpress : bareHandler);

/** Measures each receiver in a new process with an empty store. The ratio compares those of one round. */
async function measureReceivers(environment: Environment, round: number): Promise<Sample> {
  const rate: Record<string, number> = {};
  const cpu: Record<string, number> = {};
  const first = round % receivers.length;
  for (const { kind, row, start } of [...receivers.slice(first), ...receivers.slice(0, first)]) {
    const store = await start();
    try {
      const { result } = await environment.run("receiver.mjs", kind, store.url);
      // The program prints these figures.
      const figures = result as Readonly<Record<"rate" | "cpu", number>>;
      rate[row] = figures.rate;
      cpu[row] = figures.cpu;
    } finally {
      await store.remove();
    }
  }
  const ratios = Object.entries(cpu)
    .filter(([row]) => row !== bareHandler && row !== bareExpress)
    .map(([row, time]) => [row, time / (cpu[baseOf(row)] ?? Number.NaN)] as const);
  return { rate, cpu, ratio: Object.fromEntries(ratios) };
}

export const webhookBenchmarks: readonly Benchmark[] = [
  {
    name: "webhooks",
    title: "Webhook verification",
    groups: {
      smallTime: "Time, 300 bytes (µs)",
      smallRatio: "Ratio to HMAC alone, 300 bytes (×)",
      largeTime: "Time, 1 MB (µs)",
      largeRatio: "Ratio to HMAC and JSON.parse, 1 MB (×)",
      weight: "Weight in a browser, gzip (bytes)",
    },
    samplesPerRun: 5,
    async *measure(environment) {
      const imports = { "@tryon/webhooks": "verify", standardwebhooks: "Webhook", svix: "Webhook" };
      for (const [name, exported] of Object.entries(imports)) {
        const line = `export { ${exported} } from "${name}";`;
        yield { weight: { [`${name} { ${exported} }`]: await environment.bundledSize(line) } };
      }
      for (let round = 0; round < 35; round += 1) {
        const args = ["--expose-gc", "in-process.mjs", "webhooks"];
        yield environment.runCandidate(...args, "small", bareHmac, "300", "300");
        yield environment.runCandidate(...args, "large", bareHmacAndParse, "1000000", "4");
      }
    },
  },
  {
    name: "receivers",
    title: "Receivers with a store",
    groups: {
      rate: "Deliveries over 16 connections (deliveries/s)",
      cpu: "CPU time per delivery (µs)",
      ratio: "CPU time per delivery, ratio to a bare handler (×)",
    },
    async *measure(environment) {
      for (let round = 0; round < 5; round += 1) yield measureReceivers(environment, round);
    },
  },
  {
    name: "timing",
    title: "Timing leak of the comparison",
    groups: {
      time: "Time per call (ns)",
      errors: "Distance of the means (standard errors)",
    },
    async *measure(environment) {
      // Runs from source: the package does not export its comparison.
      const program = fileURLToPath(new URL("../programs/timing-leak.ts", import.meta.url));
      for (let round = 0; round < 9; round += 1)
        for (const name of [comparison, whole, control])
          yield environment.runCandidate("--conditions=@tryon/source", program, name, "60000");
    },
  },
];
