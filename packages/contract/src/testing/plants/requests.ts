import type { Plant } from "./changes.ts";
import { addressPlants } from "./requests/addresses.ts";
import { answerPlants } from "./requests/answers.ts";
import { fieldPlants } from "./requests/fields.ts";
import { keyPlants } from "./requests/keys.ts";
import { meaningPlants } from "./requests/meanings.ts";
import { picturePlants } from "./requests/pictures.ts";

/** Deviations in what is taken and refused, one for each check of this part that is not slow. */
export const requestPlants: readonly Plant[] = [
  ...fieldPlants,
  ...picturePlants,
  ...meaningPlants,
  ...answerPlants,
  ...addressPlants,
  ...keyPlants,
];
