import { defineConfig } from "vitest/config";

/** The fast tests that can notice a mutant of the deciding code, for `npm run mutation`. */
export default defineConfig({
  resolve: { conditions: ["@tryon/source"] },
  ssr: { resolve: { conditions: ["@tryon/source"] } },
  test: {
    root: import.meta.dirname,
    include: [
      "src/http/{abort,attempt-log,deadline,rate-limit,rate-limiter,retries,retry-policy,side-effects}.test.ts",
      "src/jobs/{job-poller,poll-allowance,poll-schedule,waiting}.test.ts",
    ],
    testTimeout: 30_000,
  },
});
