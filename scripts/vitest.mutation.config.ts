import { join } from "node:path";

import { defineConfig } from "vitest/config";

import areas from "./mutation.json" with { type: "json" };

// Dates without a time zone must not depend on that of the machine.
process.env["TZ"] = "Asia/Tokyo";

const root = join(import.meta.dirname, "..");
const name = process.env["TRYON_AREA"];

/** The fast tests that can notice a mutant of an area, for `npm run mutation`. */
export default defineConfig({
  resolve: {
    conditions: ["@tryon/source"],
    // The links of the workspace lead to the files that are not mutated.
    alias: [
      { find: /^@tryon\/shared\/(.+)$/, replacement: join(root, "packages/shared/src/$1.ts") },
    ],
  },
  ssr: { resolve: { conditions: ["@tryon/source"] } },
  test: {
    root,
    include: Object.entries(areas).find(([area]) => area === name)?.[1].tests ?? [],
    // Also a run of every test mutates with few cases of each property.
    env: { TRYON_TESTS: "fast" },
    testTimeout: 30_000,
  },
});
