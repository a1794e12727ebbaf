import type { Attempt } from "../types/attempt.ts";

/** Statuses of synchronous responses that something between client and service has cut off. */
const cutStatuses = new Set([408, 502, 504, 524]);
/** Minimum duration of an attempt that counts as cut off, in milliseconds. */
const minDuration = 5_000;

/** Returns true if something between client and service may have cut off a synchronous attempt. */
export function isSyncCut({ duration, status }: Attempt): boolean {
  return duration >= minDuration && (status === undefined || cutStatuses.has(status));
}
