import { addressPlants } from "./addresses.ts";
import { answerPlants } from "./answers.ts";
import { fieldPlants } from "./fields.ts";
import { keyPlants } from "./keys.ts";
import { meaningPlants } from "./meanings.ts";
import { picturePlants } from "./pictures.ts";
import type { Plant } from "../plant.ts";

/** Deviations in what is taken and refused, one for each check of this part that is not slow. */
export const requestPlants: readonly Plant[] = [
  ...fieldPlants,
  ...picturePlants,
  ...meaningPlants,
  ...answerPlants,
  ...addressPlants,
  ...keyPlants,
];
