import type { Job } from "../jobs/job.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import type { TryOnErrorCode } from "./code.ts";
import { hints } from "./hints.ts";
import type { Recover } from "./outcome-error.ts";

// In the registry of the whole program, so that an ESM and a CJS copy of this file share it.
const brand = Symbol.for("@tryon/client/error");

/**
 * Why an attempt got no answer. `unsent` is proof that no whole request arrived: a middleware threw before anything was sent,
 * or an image could not be read to its end.
 */
export type AttemptFailure = "connection_failed" | "timed_out" | "unsent";

/** One request that was sent on behalf of a call. */
export interface Attempt {
  /** When it was sent, in milliseconds since 1970. */
  readonly startedAt: number;
  /** How long it took until its answer was read or it failed, in milliseconds. */
  readonly duration: number;
  /** The HTTP status, when an answer came. */
  readonly status?: number;
  /** Why there is no answer. */
  readonly failure?: AttemptFailure;
}

/** One problem with one field. */
export interface FieldIssue {
  /** The path of the field as the wire names it, joined with dots: `garment_urls.0`. */
  readonly field: string;
  /** What is wrong with it. */
  readonly message: string;
  /** The kind of problem, when the service named it. */
  readonly type?: string;
  /** The limit that was passed, in the unit that the message names. */
  readonly bound?: number;
}

/** What an error says besides its code and its message; each of these is absent when it is not known. */
export interface TryOnErrorDetails {
  /** What to do next; the message ends with it. */
  readonly hint?: string | undefined;
  /** The HTTP status of the answer. */
  readonly status?: number | undefined;
  /** The `x-request-id` of the answer. */
  readonly requestId?: string | undefined;
  /** How long the service asks to wait, in seconds, as in the `Retry-After` header. */
  readonly retryAfter?: number | undefined;
  /** The rate limit, when the answer named it. */
  readonly rateLimit?: RateLimit | undefined;
  /** Every request that was sent for the call. */
  readonly attempts?: readonly Attempt[] | undefined;
  /** The fields that were refused. */
  readonly issues?: readonly FieldIssue[] | undefined;
  /** The job that the call was about: it is never lost with the error. */
  readonly job?: Job | undefined;
  readonly cause?: unknown;
  /** What the classes with these fields declare. */
  readonly idempotencyKey?: string | undefined;
  readonly recover?: Recover | undefined;
  readonly error_code?: string | null | undefined;
  readonly error_message?: string | null | undefined;
  readonly isContentBlocked?: boolean;
  readonly cost?: number;
  readonly spent?: number;
  readonly reserved?: number;
  readonly maxCredits?: number;
}

/**
 * Every error of this package. Look at `code`; `message` says what went wrong, where, and what to do next. An error
 * never carries an API key, a body that was sent or the bytes of an image, so it is safe to log.
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
  /** What went wrong, for programs. */
  readonly code: TryOnErrorCode;
  /** Every request that was sent for the call; none if nothing was. */
  readonly attempts: readonly Attempt[];
  /** What to do next; the message ends with it. */
  declare readonly hint?: string;
  /** The HTTP status of the answer, where there was one. */
  declare readonly status?: number;
  /** The `x-request-id` of the answer, for the service's support. */
  declare readonly requestId?: string;
  /** How long the service asks to wait, in seconds. */
  declare readonly retryAfter?: number;
  /** The rate limit, when the answer named it. */
  declare readonly rateLimit?: RateLimit;
  /** The fields that were refused. */
  declare readonly issues?: readonly FieldIssue[];
  /** The job that the call was about. It is never lost with the error. */
  declare readonly job?: Job;

  /** @hidden */
  constructor(code: TryOnErrorCode, message: string, details: TryOnErrorDetails = {}) {
    const { cause, attempts = [], hint = hints[code], ...rest } = details;
    super(hint ? `${message} ${hint}` : message, cause ? { cause } : {});
    this.code = code;
    // A copy: a recovery goes on to add to the list.
    this.attempts = [...attempts];
    for (const [name, value] of Object.entries({ hint, ...rest })) {
      if ((value ?? "") !== "") Reflect.set(this, name, value);
    }
  }

  /** `TryOnError`, of every class: `code` tells errors apart. */
  override get name(): string {
    return "TryOnError";
  }

  /** @hidden */
  get [brand](): true {
    return true;
  }

  /**
   * What is wrong with one field, by the path that the wire gives it.
   *
   * @example
   * if (isTryOnError(error)) error.field("garment_urls.0")?.message;
   */
  field(path: string): FieldIssue | undefined {
    return this.issues?.find((issue) => issue.field === path);
  }

  /** Everything but the stack and the cause: what may go into a log. */
  toJSON(): Record<string, unknown> {
    const described: Record<string, unknown> = { name: this.name, message: this.message };
    return Object.assign(described, this);
  }
}

/** Whether something caught was made by any copy of this package. */
export function isBranded(error: unknown): error is TryOnError {
  return brand in Object(error);
}
