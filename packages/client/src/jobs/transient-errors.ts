import { transientCodes } from "../errors/code.ts";
import type { TryOnError } from "../errors/tryon-error.ts";
import type { PendingWait } from "./pending-wait.ts";

/** Maximum time for which reads of the service may not show a new job, in milliseconds. */
const lagAllowed = 5_000;

/** Returns true while reads of the service may not show a new job. */
export function isWithinReadLag({ knownSince }: PendingWait, now: number): boolean {
  return now - knownSince < lagAllowed;
}

/** Returns true if a poll that failed with this error may succeed later. */
export function isTransient({ code }: TryOnError, wait: PendingWait, now: number): boolean {
  return transientCodes.has(code) || (code === "not_found" && isWithinReadLag(wait, now));
}
