import type { Mutant } from "../mutant.ts";
import { fieldMutants, moreFieldMutants } from "./fields.ts";
import { jobRequestMutants } from "./requests.ts";
import { resultMutants } from "./results.ts";

/** Mutants in submissions, jobs, the list and results. */
export const jobMutants: readonly Mutant[] = [
  ...fieldMutants,
  ...moreFieldMutants,
  ...jobRequestMutants,
  ...resultMutants,
];
