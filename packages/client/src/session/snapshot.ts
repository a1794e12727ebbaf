import { isTryOnError } from "@tryon/client";

import type { SessionError, Started, TryOnSnapshot } from "./types.ts";

export function sessionError(error: unknown): SessionError {
  const known = isTryOnError(error) ? error : undefined;
  return {
    code: known?.code ?? "unexpected",
    message: error instanceof Error ? error.message : String(error),
    isContentBlocked: isTryOnError(error, "job_failed") && error.isContentBlocked,
    retryAfter: known?.retryAfter,
    issues: known?.issues,
  };
}

export type StartedSnapshot = Exclude<TryOnSnapshot, { readonly status: "idle" }>;

export type StateFields<State = StartedSnapshot> =
  // Applies to each state of the union.
  State extends unknown ? Omit<State, keyof Started> : never;

export function isBusy({ status }: TryOnSnapshot): boolean {
  return status === "preparing" || status === "uploading" || status === "waiting";
}
