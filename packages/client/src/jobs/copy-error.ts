import { isBranded } from "../errors/tryon-error.ts";

/** The same error once more, for another who gets it: each has its own job on it. */
export function copyOf(error: unknown): unknown {
  if (!isBranded(error)) return error;
  const copy = Object.defineProperties(new Error(), Object.getOwnPropertyDescriptors(error));
  // A copy of what an `Error` has by itself would not make one.
  return Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object) as unknown;
}
