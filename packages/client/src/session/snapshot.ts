import { isTryOnError } from "@tryon/client";

import type { SessionError, Started, TryOnSnapshot } from "./types.ts";

/** Returns the fields of an error that tabs can send each other. */
export function sessionError(error: unknown): SessionError {
  const known = isTryOnError(error) ? error : undefined;
  return {
    code: known?.code ?? "unexpected",
    message: error instanceof Error ? error.message : String(error),
    isContentBlocked: isTryOnError(error, "job_failed") && error.isContentBlocked,
    retryAfter: known?.retryAfter,
  };
}

/** State after `start`. */
export type StartedSnapshot = Exclude<TryOnSnapshot, { readonly status: "idle" }>;

/** Fields of a state, without those of all of them. */
export type StateFields<State = StartedSnapshot> =
  // Applies to each state of the union.
  State extends unknown ? Omit<State, keyof Started> : never;

/** Returns true while a tab prepares, sends or waits. */
export function isBusy({ status }: TryOnSnapshot): boolean {
  return status === "preparing" || status === "uploading" || status === "waiting";
}
