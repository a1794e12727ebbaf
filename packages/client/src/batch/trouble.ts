import { isTryOnError, type Attempt } from "@tryon/client";

import { transientCodes } from "../errors/transient-codes.ts";

/** Whether an item failed because the service or the way there does. */
export function isTrouble(error: unknown): boolean {
  if (!isTryOnError(error)) return false;
  const last = error.code === "outcome_unknown" ? error.cause : error;
  return isTryOnError(last) && transientCodes.has(last.code);
}

/** When the last request was sent that was answered with 429 or 503, if one was. */
export function pushedBackAt(attempts: readonly Attempt[]): number | undefined {
  return attempts.findLast(({ status }) => status === 429 || status === 503)?.startedAt;
}
