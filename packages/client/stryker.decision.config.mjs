import { readFileSync } from "node:fs";

const base = JSON.parse(readFileSync(new URL("stryker.config.json", import.meta.url), "utf8"));

/** What a response proves, and if an image is whole: more mutants must be found than elsewhere. */
export default {
  ...base,
  mutate: [
    "packages/client/src/http/{decide-next,outcome-table}.ts",
    "packages/client/src/images/png-walker.ts",
  ],
  thresholds: { high: 100, low: 98, break: 98 },
};
