import { resultUrlMutants } from "./result-urls.ts";
import { jobFieldMutants } from "./job-fields.ts";
import { listMutants } from "./lists.ts";
import { pollMutants } from "./polls.ts";
import { imageMutants } from "./results.ts";
import { submissionMutants } from "./submissions.ts";
import type { Mutant } from "../mutant.ts";

/** Deviations in submissions, jobs, the list and results. */
export const jobMutants: readonly Mutant[] = [
  ...submissionMutants,
  ...jobFieldMutants,
  ...pollMutants,
  ...listMutants,
  ...imageMutants,
  ...resultUrlMutants,
];
