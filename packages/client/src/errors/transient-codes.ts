import type { TryOnErrorCode } from "./code.ts";

/** The codes of failures that may pass: they say something about the service or the way there, and nothing about what was asked. */
export const transientCodes: ReadonlySet<TryOnErrorCode> = new Set([
  "connection_failed",
  "timed_out",
  "server_error",
  "unavailable",
  "rate_limited",
  "unexpected_response",
]);
