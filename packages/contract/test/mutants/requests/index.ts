import type { Mutant } from "../mutant.ts";
import { endpointMutants } from "./endpoints.ts";
import { fieldMutants } from "./fields.ts";
import { imageMutants } from "./images.ts";
import { responseMutants } from "./responses.ts";

export const requestMutants: readonly Mutant[] = [
  ...fieldMutants,
  ...imageMutants,
  ...responseMutants,
  ...endpointMutants,
];
