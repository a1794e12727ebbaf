import { transientCodes } from "../errors/transient-codes.ts";
import type { TryOnError } from "../errors/tryon-error.ts";
import type { PendingWait } from "./pending-wait.ts";

/** How long a fresh job may be unknown to the service, whose reads may lag behind. In milliseconds. */
const lagAllowed = 5_000;

/** Whether a job is so fresh that the service may not show it yet. */
export function isWithinReadLag({ knownSince }: PendingWait, now: number): boolean {
  return now - knownSince < lagAllowed;
}

/** Whether a look that failed like this may go well the next time. */
export function isTransient({ code }: TryOnError, watch: PendingWait, now: number): boolean {
  return transientCodes.has(code) || (code === "not_found" && isWithinReadLag(watch, now));
}
