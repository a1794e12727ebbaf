import { addressPlants } from "./addresses.ts";
import { jobFieldPlants } from "./job-fields.ts";
import { listPlants } from "./lists.ts";
import { pollPlants } from "./polls.ts";
import { picturePlants } from "./results.ts";
import { submissionPlants } from "./submissions.ts";
import type { Plant } from "../plant.ts";

/** Deviations in submissions, jobs, the list and results. */
export const jobPlants: readonly Plant[] = [
  ...submissionPlants,
  ...jobFieldPlants,
  ...pollPlants,
  ...listPlants,
  ...picturePlants,
  ...addressPlants,
];
