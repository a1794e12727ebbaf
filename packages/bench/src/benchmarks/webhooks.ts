import { fileURLToPath } from "node:url";

import type { Benchmark } from "../benchmark.ts";
import { bareHmac, bareHmacAndParse } from "../candidates/verifiers.ts";
const comparison = "@tryon/webhooks, comparison";
const whole = "@tryon/webhooks, safeVerifySync";
const control = "control that stops at the first difference";

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
        yield environment.run(...args, "small", bareHmac, "300", "300");
        yield environment.run(...args, "large", bareHmacAndParse, "1000000", "4");
      }
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
          yield environment.run("--conditions=@tryon/source", program, name, "60000");
    },
  },
];
