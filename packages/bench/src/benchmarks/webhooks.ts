import { fileURLToPath } from "node:url";

import type { Benchmark } from "../benchmark.ts";
import { bareHmac, bareHmacAndParse } from "../candidates/verifiers.ts";

const ours = "@tryon/webhooks/node, verifySync";
const comparison = "@tryon/webhooks, comparison";
const whole = "@tryon/webhooks, safeVerifySync";
const control = "control that stops at the first difference";

export const webhookBenchmarks: readonly Benchmark[] = [
  {
    name: "webhooks",
    title: "Webhook verification",
    method:
      "Each verifier gets a signed event of 300 bytes, or of 1 MB, as a `Buffer`; a changed event must fail first. Blocks of calls take nine turns within one process, and a run is the median of five processes. The octokit and svix verifiers return no parsed event.",
    groups: {
      smallTime: { title: "Time, 300 bytes", unit: "µs" },
      smallRatio: { title: "Ratio to HMAC alone, 300 bytes", unit: "×", chart: true },
      largeTime: { title: "Time, 1 MB", unit: "µs" },
      largeRatio: { title: "Ratio to HMAC and JSON.parse, 1 MB", unit: "×", chart: true },
      weight: { title: "Weight in a browser, gzip", unit: "bytes" },
    },
    goals: [
      { group: "smallRatio", row: ours, max: 2 },
      { group: "largeRatio", row: ours, max: 1.1 },
      { group: "weight", row: "@tryon/webhooks { verify }", max: 2_500 },
    ],
    samplesPerRun: 5,
    async *measure(environment) {
      const imports = { "@tryon/webhooks": "verify", standardwebhooks: "Webhook", svix: "Webhook" };
      for (const [name, exported] of Object.entries(imports)) {
        const line = `export { ${exported} } from "${name}";`;
        yield { weight: { [`${name} { ${exported} }`]: await environment.bundledSize(line) } };
      }
      for (let round = 0; round < 35; round += 1) {
        const args = ["--expose-gc", "in-process.mjs", "webhooks"];
        yield environment.run(...args, "small", bareHmac, "300", "300");
        yield environment.run(...args, "large", bareHmacAndParse, "1000000", "4");
      }
    },
  },
  {
    name: "timing",
    title: "Timing leak of the comparison",
    method:
      "Guesses of a digest are wrong in the first byte or in the last; 60,000 per process are timed in random order. Welch's t between both classes, without the slowest 10 %, is a leak above 4.5 standard errors; the rows with the same byte are noise. The control shows that the method detects a leak.",
    groups: {
      time: { title: "Time per call", unit: "ns" },
      errors: { title: "Distance of the means", unit: "standard errors" },
    },
    goals: [
      { group: "errors", row: comparison, max: 4.5 },
      { group: "errors", row: whole, max: 4.5 },
      { group: "errors", row: control, min: 4.5 },
    ],
    async *measure(environment) {
      // Runs from source: the package does not export its comparison.
      const program = fileURLToPath(new URL("../programs/timing-leak.ts", import.meta.url));
      for (let round = 0; round < 9; round += 1)
        for (const name of [comparison, whole, control])
          yield environment.run("--conditions=@tryon/source", program, name, "60000");
    },
  },
];
