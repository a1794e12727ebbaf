import type { AttemptFailure } from "../types/attempt.ts";
import type { HttpResponse } from "./response.ts";

/** Outcome of one attempt. */
export type Outcome = { readonly response: HttpResponse } | Failure;

/** An attempt without a response. */
export interface Failure {
  readonly response: undefined;
  /** `rate_limited`: it was not sent, since it would have to wait `wait` milliseconds for the rate limit. */
  readonly failure: AttemptFailure | "rate_limited";
  readonly cause?: unknown;
  readonly wait?: number;
}

/** Returns the platform's code of a failure, from the error or its causes. */
export function failureCode(cause: unknown): string | undefined {
  const { code, cause: deeper } = Object(cause) as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return deeper === undefined || deeper === cause ? undefined : failureCode(deeper);
}
