import { urlMutants } from "./urls.ts";
import { responseMutants } from "./responses.ts";
import { fieldMutants } from "./fields.ts";
import { keyMutants } from "./keys.ts";
import { meaningMutants } from "./meanings.ts";
import { imageMutants } from "./images.ts";
import type { Mutant } from "../mutant.ts";

/** Mutants in which requests the server takes. */
export const requestMutants: readonly Mutant[] = [
  ...fieldMutants,
  ...imageMutants,
  ...meaningMutants,
  ...responseMutants,
  ...urlMutants,
  ...keyMutants,
];
