import type { Mutant } from "../mutant.ts";
import { fieldMutants } from "./fields.ts";
import { jobRequestMutants } from "./requests.ts";
import { resultMutants } from "./results.ts";

export const jobMutants: readonly Mutant[] = [
  ...fieldMutants,
  ...jobRequestMutants,
  ...resultMutants,
];
