import type { Duration } from "../system/duration.ts";

/** How long a call or a webhook is held up: always the same, or drawn from a log-normal distribution. */
export type Latency = Duration | { readonly median: Duration; readonly p95: Duration };

/**
 * What is to go wrong, on which calls and how often. One fault does one thing; `latency` may come on top of it, and a
 * fault that has nothing but `latency` lets the call go on, to later faults too.
 */
export interface FaultInput {
  /**
   * Method and path, with stars for what is left open, such as `"POST /api/v1/tryon"`, `"GET /api/v1/tryon/*"`,
   * `"* *"`; or `"webhook"` for the webhooks that the server sends.
   */
  on: string;
  /**
   * How many times the fault strikes before it is spent.
   * @default unlimited
   */
  times?: number | undefined;
  /**
   * How likely it strikes, above 0 up to 1; drawn from the seed.
   * @default 1
   */
  probability?: number | undefined;
  /**
   * How many calls that fit pass before the first is struck.
   * @default 0
   */
  after?: number | undefined;
  /** Answers with this status, 200 to 599, instead of doing the work; beside `cutAfter`, the proxy's status. */
  status?: number | undefined;
  /** Further headers of that answer. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The body of that answer: a text, or a value that is sent as JSON.
   * @default what the service, or a proxy, says with that status
   */
  body?: unknown;
  /**
   * Whether that answer is a proxy's page in place of the service's JSON.
   * @default true for 413, 502, 504, 520 to 524 and for `cutAfter`, else false
   */
  html?: boolean | undefined;
  /** `Retry-After` of that answer: seconds, or a text that is sent as it stands. */
  retryAfter?: number | string | undefined;
  /** Holds the call, or the webhook, up on the server's clock before anything else happens to it. */
  latency?: Latency | undefined;
  /** Breaks the connection: `before` anything is done, or `after` the work has been done. */
  reset?: "before" | "after" | undefined;
  /** Sends this many bytes of the body under the full length, then breaks the connection. */
  truncateAt?: number | undefined;
  /** A proxy answers in place of the service after this time, while the work goes on. */
  cutAfter?: Duration | undefined;
  /** The webhook never reaches its receiver; only on `"webhook"`. */
  drop?: true | undefined;
}

/** What strikes: the kinds of faults, each of which a face of the server has or has not. */
export type FaultKind =
  | "status"
  | "latency"
  | "reset"
  | "truncateAt"
  | "cutAfter"
  | "drop"
  | "webhook reset";

/** A fault that was added, and how often it has met calls. */
export interface Fault extends Readonly<FaultInput> {
  readonly id: string;
  /** How many calls it has met. */
  readonly met: number;
  /** How many it has struck. */
  readonly struck: number;
}
