import type { Duration } from "../system/duration.ts";
import type { GatewayName } from "./gateways.ts";

/** Delay of a request or a webhook: a constant, or drawn from a log-normal distribution. */
export type Latency =
  | Duration
  | {
      /** Median delay, above 0. */
      readonly median: Duration;
      /** Delay that 95 of 100 requests do not exceed; at least `median`. */
      readonly p95: Duration;
    };

/**
 * A failure, and the requests that it applies to. A fault has one effect, to which `latency` may be added. After a
 * fault with `latency` alone, later faults apply too.
 */
export interface FaultInput {
  /**
   * Method and path, in which a star matches anything, such as `"POST /api/v1/tryon"`, `"GET /api/v1/tryon/*"` or
   * `"* *"`; or `"webhook"` for the webhooks that the server sends.
   */
  on: string;
  /**
   * Maximum number of times that the fault applies.
   * @default unlimited
   */
  times?: number | undefined;
  /**
   * Probability that the fault applies, above 0 up to 1; drawn from the seed.
   * @default 1
   */
  probability?: number | undefined;
  /**
   * Number of matching requests before the first to which the fault applies.
   * @default 0
   */
  after?: number | undefined;
  /** Status from 200 to 599 of a response that replaces the service's; with `cutAfter`, the proxy's status. */
  status?: number | undefined;
  /** Additional headers of that response. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Body of that response: a text, or a value that is sent as JSON.
   * @default the service's, or a proxy's, body for that status
   */
  body?: unknown;
  /**
   * If true, that response is a proxy's page instead of the service's JSON.
   * @default true for 413, 502, 504, 520 to 524 and for `cutAfter`, else false
   */
  html?: boolean | undefined;
  /** `Retry-After` of that response: seconds, or a text that is sent unchanged. */
  retryAfter?: number | string | undefined;
  /**
   * Responds as a gateway does: with its status, headers and page, at once or after its time limit, while the work goes on.
   * With `cutAfter`, another time limit.
   */
  gateway?: GatewayName | undefined;
  /** Delay of the request or the webhook on the server's clock, before anything else. */
  latency?: Latency | undefined;
  /** Breaks the connection: `before` or `after` the server does the work. */
  reset?: "before" | "after" | undefined;
  /** Sends this many bytes of the body under the full length, then breaks the connection. */
  truncateAt?: number | undefined;
  /** Time after which a proxy responds instead of the service, while the work goes on. */
  cutAfter?: Duration | undefined;
  /** Drops the webhook before it reaches its receiver; only on `"webhook"`. */
  drop?: true | undefined;
}

/** A fault that was added, and its counters. */
export interface Fault extends Readonly<FaultInput> {
  /** Id for `remove`, such as `fault_1`. */
  readonly id: string;
  /** Number of requests that matched it. */
  readonly matched: number;
  /** Number of requests that it was applied to. */
  readonly applied: number;
}
