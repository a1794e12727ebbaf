import { defineConfig } from "vitest/config";

// Dates without a time zone must not depend on that of the machine.
process.env["TZ"] = "Asia/Tokyo";

/** The fast tests that can notice a mutant of the deciding code, for `npm run mutation`. */
export default defineConfig({
  resolve: { conditions: ["@tryon/source"] },
  ssr: { resolve: { conditions: ["@tryon/source"] } },
  test: {
    root: import.meta.dirname,
    include: [
      "src/batch/resume-step.test.ts",
      "src/http/{attempt-log,deadline,decide-next,on-rate-limit,rate-limiter-queues,retries}.test.ts",
      "src/http/{outcome-table,retry-policy}.test.ts",
      "src/images/{job-image,png-walker}.test.ts",
      "src/jobs/{poll-schedule,recover,run}.test.ts",
      "src/billing/!(*.full).test.ts",
      "src/proxy/{filter-fields,signer}.test.ts",
    ],
    // Also a run of every test mutates with few cases of each property.
    env: { TRYON_TESTS: "fast" },
    testTimeout: 30_000,
  },
});
