import type { Check } from "../../check.ts";
import { useOwnKey } from "./job-run.ts";
import { lists } from "./lists.ts";
import { polls } from "./polls.ts";
import { resultUrls } from "./result-urls.ts";
import { results } from "./results.ts";
import { submissions } from "./submissions.ts";

/** Checks of submissions, jobs, the list, results and their retention. Each uses a separate key. */
export const jobChecks: readonly Check[] = [
  ...submissions,
  ...polls,
  ...lists,
  ...results,
  ...resultUrls,
].map((check) => ({
  ...check,
  async run(session) {
    await useOwnKey(session);
    await check.run(session);
  },
}));

/** Rules that the schema of a response states, by operation and status. */
export const jobShapes: Readonly<Record<string, readonly string[]>> = {
  "POST /api/v1/tryon 200": [
    "submit.request-and-answer",
    "submit-response.job-id.form",
    "submit-response.status.values",
  ],
  "GET /api/v1/tryon/{job_id} 200": ["job.job-id.form", "job.status.values"],
  "GET /api/v1/tryon 200": ["list.request-and-answer"],
};
