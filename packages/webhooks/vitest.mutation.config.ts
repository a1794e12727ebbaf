import { defineConfig } from "vitest/config";

/** The fast tests that can notice a mutant of verification or signing, for `npm run mutation`. */
export default defineConfig({
  resolve: { conditions: ["@tryon/source"] },
  ssr: { resolve: { conditions: ["@tryon/source"] } },
  test: {
    root: import.meta.dirname,
    include: [
      "src/{verification,signing}/*.test.ts",
      "src/node/verify-sync.test.ts",
      "test/fuzz/*.test.ts",
    ],
    exclude: ["**/*.full.test.ts"],
    testTimeout: 30_000,
  },
});
