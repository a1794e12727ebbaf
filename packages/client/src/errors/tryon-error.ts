import type { Attempt, RateLimit } from "../types/attempt.ts";
import type { Job } from "../types/job.ts";
import type { hints as requestHints, responseHints } from "./hints.ts";

// Registered globally, so that an ESM and a CJS copy of this file share it.
const brand = Symbol.for("@tryon/client/error");

export const outcomeUnknownHint = "Call error.recover(), which sends the same request again.";

/** Hints of errors that no response explains. The others have theirs where they are made. */
const hints = {
  wait_timed_out: "It goes on, and is billed once: call error.job.result().",
  outcome_unknown: outcomeUnknownHint,
  job_failed: "A new try-on has its own charge.",
  result_expired: "Download it again later, which is free.",
  result_purged: "The service keeps images for 30 days.",
};

/**
 * Error codes of responses of the service.
 *
 * @useDeclaredType
 */
export type ApiErrorCode = keyof typeof responseHints;

/** Error codes of requests without a usable response. */
export type ConnectionErrorCode = Exclude<keyof typeof requestHints, ApiErrorCode>;

/**
 * Error code, for programs. Codes are stable, messages are not.
 *
 * @useDeclaredType
 */
export type TryOnErrorCode =
  | ApiErrorCode
  | ConnectionErrorCode
  | keyof typeof hints
  // Each of these errors has its own hint.
  | "invalid_input"
  | "budget_exceeded"
  | "batch_stopped"
  | "unsafe_environment"
  | "invalid_config";

export const transientCodes: ReadonlySet<TryOnErrorCode> = new Set([
  "connection_failed",
  "timed_out",
  "server_error",
  "unavailable",
  "rate_limited",
  "unexpected_response",
]);

/** Problem with a field. */
export interface FieldIssue {
  /** Path of the field in the request, joined with dots: `garment_urls.0`. */
  readonly field: string;
  /** Description of the problem. */
  readonly message: string;
  /** Type of the problem, if the service named one. */
  readonly type?: string;
  /** Limit that was exceeded, in the unit of the message. */
  readonly bound?: number;
}

/** Fields of an error and of its subclasses. Undefined ones are left out. */
export type TryOnErrorDetails = {
  readonly [Name in Exclude<keyof TryOnError, keyof Error | "code">]?: TryOnError[Name] | undefined;
} & { readonly cause?: unknown };

/**
 * Error of this package. Check `code`. `message` says what went wrong, where, and what to do next. An error contains no
 * API key, no request body and no image bytes, so it is safe to log.
 *
 * @example
 * import { isTryOnError } from "@tryon/client";
 *
 * try {
 *   await tryon.run(input);
 * } catch (error) {
 *   if (isTryOnError(error, "insufficient_credits")) await topUp();
 *   else throw error;
 * }
 */
export class TryOnError extends Error {
  /** Error code, for programs. */
  readonly code: TryOnErrorCode;
  /** Requests of the call. Empty if nothing was sent. */
  readonly attempts: readonly Attempt[];
  /** Next step. It is the end of the message. */
  declare readonly hint?: string;
  /** HTTP status, if there was a response. */
  declare readonly status?: number;
  /** `x-request-id` of the response, for the service's support. */
  declare readonly requestId?: string;
  /** Delay that the service requests, in seconds. */
  declare readonly retryAfter?: number;
  /** Rate limit from the headers of the response. */
  declare readonly rateLimit?: RateLimit;
  /** Fields that were rejected. */
  declare readonly issues?: readonly FieldIssue[];
  /** Job of the call, to wait for or to save. */
  declare readonly job?: Job;

  /** @hidden */
  constructor(code: TryOnErrorCode, message: string, details: TryOnErrorDetails = {}) {
    const defaults: { readonly [Code in TryOnErrorCode]?: string } = hints;
    const { cause, attempts = [], hint = defaults[code], ...rest } = details;
    super(hint ? `${message} ${hint}` : message, cause ? { cause } : {});
    this.code = code;
    // A copy, since `recover` adds to the list.
    this.attempts = [...attempts];
    for (const [name, value] of Object.entries({ hint, ...rest })) {
      if ((value ?? "") !== "") Reflect.set(this, name, value);
    }
  }

  /** `TryOnError` for every class. Use `code` to distinguish errors. */
  override get name(): string {
    return "TryOnError";
  }

  /** @hidden */
  get [brand](): true {
    return true;
  }

  /**
   * Returns the problem of a field by its path in the request.
   *
   * @example
   * if (isTryOnError(error)) error.field("garment_urls.0")?.message;
   */
  field(path: string): FieldIssue | undefined {
    return this.issues?.find((issue) => issue.field === path);
  }

  /** Returns all fields but the stack, the cause and functions, for logs and for `structuredClone`. */
  toJSON(): Record<string, unknown> {
    // Some errors have `recover`.
    const { recover: _, ...fields } = this as Readonly<Record<string, unknown>> & this;
    return { name: this.name, message: this.message, ...(fields as object) };
  }
}

/** Returns true for an error of any copy of this package. */
export function isBranded(error: unknown): error is TryOnError {
  return brand in Object(error);
}
