import type { Attempt } from "../errors/tryon-error.ts";

/** A held answer that ends in one of these was cut by something between client and service. */
const cutStatuses = new Set([408, 502, 504, 524]);
/** Shorter failures are about something else than the holding, in milliseconds. */
const shortestCut = 5_000;

/** Whether an attempt to have an answer held looks as if something on the way had cut it off. */
export function isSyncCut({ duration, status }: Attempt): boolean {
  return duration >= shortestCut && (status === undefined || cutStatuses.has(status));
}
