/**
 * Reason for an attempt without a response. `unsent` proves that no complete request arrived: a middleware threw before
 * anything was sent, or an image could not be read to its end.
 */
export type AttemptFailure = "connection_failed" | "timed_out" | "unsent";

/** Request of a call. */
export interface Attempt {
  /** Start time, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Time until its response was read or it failed, in milliseconds. */
  readonly duration: number;
  /** HTTP status, if there was a response. */
  readonly status?: number;
  /** Reason of an attempt without a response. */
  readonly failure?: AttemptFailure;
  /** If true, something between client and service probably ended a synchronous response. The job may continue. */
  readonly isCut?: true;
}

/** Rate limit of an API key. */
export interface RateLimit {
  /** Requests per minute. */
  readonly limit: number;
  /** Requests left until `resetAt`. */
  readonly remaining: number;
  /** Time at which all are available again, by the clock of this machine, in milliseconds since 1970. */
  readonly resetAt: number;
  /** `headers` of a response, or the client's own `count` against the limit of the account. */
  readonly source: "headers" | "count";
}
