import { defineConfig } from "vitest/config";

/** The fast tests that can notice a mutant of the deciding code, for `npm run mutation`. */
export default defineConfig({
  resolve: { conditions: ["@tryon/source"] },
  ssr: { resolve: { conditions: ["@tryon/source"] } },
  test: {
    root: import.meta.dirname,
    include: [
      "src/service/{credits,engines,idempotency,image-fetch,inputs,job-scheduler}.test.ts",
      "src/service/{keys,purchases,server-error,submissions}.test.ts",
      "src/http/{account,authentication,examples,payment-routes,rate-limit,responses}.test.ts",
      "src/control/{next-job,server-states,tenant,routes/state-view}.test.ts",
    ],
    // Also a run of every test mutates with few cases of each property.
    env: { TRYON_TESTS: "fast" },
    testTimeout: 30_000,
  },
});
