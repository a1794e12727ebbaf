import { readFileSync } from "node:fs";

const base = JSON.parse(readFileSync(new URL("stryker.config.json", import.meta.url), "utf8"));

/** Configuration for the code that decides about charges and whole images, with a higher limit. */
export default {
  ...base,
  mutate: [
    "packages/client/src/http/{decide-next,outcome-table}.ts",
    "packages/client/src/images/png-walker.ts",
  ],
  thresholds: { high: 100, low: 98, break: 98 },
};
