import type { Check } from "../../check.ts";
import { charges } from "./charges.ts";
import { failures } from "./failures.ts";
import { syncRequests } from "./sync-requests.ts";
import { lists } from "./lists.ts";
import { paging } from "./paging.ts";
import { polls } from "./polls.ts";
import { resultUrls } from "./result-urls.ts";
import { results } from "./results.ts";
import { retention } from "./retention.ts";
import { submitAnswers } from "./submit-responses.ts";
import { testKeys } from "./test-keys.ts";
import { times } from "./times.ts";

/** Submissions and what becomes of them: jobs, the list, results, and how long things are kept. */
export const jobChecks: readonly Check[] = [
  ...submitAnswers,
  ...charges,
  ...polls,
  ...times,
  ...lists,
  ...paging,
  ...results,
  ...resultUrls,
  ...syncRequests,
  ...failures,
  ...testKeys,
  ...retention,
];
