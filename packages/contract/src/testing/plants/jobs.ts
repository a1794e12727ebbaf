import { addressPlants } from "./addresses.ts";
import type { Plant } from "./changed-answers.ts";
import { jobFieldPlants } from "./job-fields.ts";
import { listPlants } from "./lists.ts";
import { pollPlants } from "./polls.ts";
import { picturePlants } from "./results.ts";
import { submissionPlants } from "./submissions.ts";

/** Deviations in submissions, jobs, the list and results. */
export const jobPlants: readonly Plant[] = [
  ...submissionPlants,
  ...jobFieldPlants,
  ...pollPlants,
  ...listPlants,
  ...picturePlants,
  ...addressPlants,
];
