import type { Duration } from "./duration.ts";
import type { Budget } from "../billing/budget.ts";
import type { BudgetLimit } from "../billing/budget-limit.ts";
import type { Clock } from "./clock.ts";
import type { Middleware } from "../http/middleware.ts";

/** Every default of the client, each once; times in milliseconds. */
export const defaults = {
  /** `timeout` of `run`, `submit`, `job.result` and of the image. */
  timeout: 600_000,
  /** `timeout` of calls that neither upload nor wait. */
  callTimeout: 120_000,
  attemptTimeout: 30_000,
  /** How long an upload may stand still. */
  uploadIdle: 30_000,
  retries: 3,
  /** 64 MiB: more than any PNG of 4K. */
  maxResultBytes: 67_108_864,
  /** Half of the shortest time for which a service is known to keep keys. */
  idempotencyWindow: 1_800_000,
} as const;

/** How long the service holds an answer at most, in milliseconds. */
export const maxSyncWait = 90_000;
/** What `sync: "auto"` wants to be left beyond that, for the way there and back, in milliseconds. */
export const syncGrace = 30_000;

/** What takes the lines of a log, of those kinds that it has a method for: `console` is one. */
export type Logger = {
  readonly [Level in "debug" | "info" | "warn" | "error"]?: (
    message: string,
    details?: unknown,
  ) => void;
};

/** How a client is set up. */
export interface TryOnOptions {
  /**
   * The API key, `svc_live_…` or `svc_test_…`.
   *
   * @default the environment variable TRYON_API_KEY, read at the first request
   */
  readonly apiKey?: string | undefined;
  /**
   * The address of the service, without `/api/v1`. With http it has to be this machine, unless `allowInsecure` is set.
   *
   * @default the environment variable TRYON_BASE_URL, read at the first request; there is no built-in address
   */
  readonly baseUrl?: string | URL | undefined;
  /**
   * Where a proxy made by `createProxy` of `@tryon/client/proxy` is mounted, for pages: in place of `apiKey` and `baseUrl`,
   * since the proxy has both. A path is one of the page's own site, with the page's cookies; for another site, give its
   * whole address, which has to be https unless it is this machine or `allowInsecure` is set.
   *
   * @default none: the client asks the service itself
   * @example
   * import { TryOn } from "@tryon/client";
   *
   * const tryon = new TryOn({ proxyUrl: "/api/tryon" });
   */
  readonly proxyUrl?: string | URL | undefined;
  /**
   * Sends the requests: a function like the global `fetch`. It gets an address and an init, and has to honour
   * `redirect: "manual"` and `signal`.
   *
   * @default the global `fetch` at the time of each request
   * @example
   * import { TryOn } from "@tryon/client";
   * import { createMock } from "@tryon/mock";
   *
   * const mock = createMock();
   * const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: mock.baseUrl, fetch: mock.fetch });
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * How long `run`, `submit`, `job.result` and the download of an image may take in all, as milliseconds or a text such as
   * `"3m"`. A call's own `timeout` wins. Other calls have 2 minutes.
   *
   * @default "10m"
   */
  readonly timeout?: Duration | undefined;
  /**
   * How long one attempt may take from its last byte sent until its answer has been read; a submission whose answer is
   * held gets the service's 90 seconds more. Sending may take as long as it goes on: it ends after 30 seconds without
   * progress or, where progress cannot be seen, as in browsers, by the size. For an image it is the longest time without a byte.
   *
   * @default "30s"
   */
  readonly attemptTimeout?: Duration | undefined;
  /**
   * Maximum size of a result image in bytes, after any content encoding is decoded. A larger one fails with
   * `unexpected_response` as soon as it exceeds the limit, and so does one with more bytes than its `result_bytes`.
   *
   * @default 67_108_864 (64 MiB)
   */
  readonly maxResultBytes?: number | undefined;
  /**
   * How many times a request is sent again after a failure that may pass. Waiting for a rate limit does not count.
   *
   * @default 3
   */
  readonly retries?: number | undefined;
  /**
   * For how long a try-on that may have been made is sent again under its key, from its first request, as milliseconds or a
   * text such as `"30m"`. Services forget keys after a time that they do not tell, and sending it again could then pay
   * twice. Past it, `recover()` only looks for the job in the list, which takes `keyInMetadata`.
   *
   * @default "30m"
   */
  readonly idempotencyWindow?: Duration | undefined;
  /**
   * Puts the idempotency key into the metadata of each job as `_tryon_key`, where there is room for it (fewer than 8
   * keys), so that `recover()` finds the job however much time has passed. Jobs are shown without it. A call's own `keyInMetadata`
   * wins.
   *
   * @default false
   */
  readonly keyInMetadata?: boolean | undefined;
  /**
   * Whether `run` and `submit` look at the input first: what the service is certain to refuse is `invalid_input` before
   * anything is sent, and what only looks wrong is a warning to `logger`. `tryon.validate` tells both.
   *
   * @default true
   */
  readonly validate?: boolean | undefined;
  /**
   * How many credits the try-ons of this client may cost in all: one that does not fit is `budget_exceeded` before anything
   * is sent. A `Budget` can be read, and shared with other clients and calls. A call's own `budget` holds besides.
   *
   * @default no limit but the balance of the key
   */
  readonly budget?: Budget | BudgetLimit | undefined;
  /**
   * Allows http to an address that is not this machine. Key and images can then be read on the way.
   *
   * @default false
   */
  readonly allowInsecure?: boolean | undefined;
  /**
   * Allows a live key in a browser, where every visitor can read it, and under a test runner, where it costs money. Not
   * needed when the address is this machine or `fetch` is given.
   *
   * @default false
   */
  readonly allowLiveKey?: boolean | undefined;
  /**
   * Stands between the client and the network: looks at each attempt of each request to the service, and may change it.
   * Several are called in this order. The images of results are fetched without it.
   *
   * @default none
   */
  readonly middleware?: Middleware | readonly Middleware[] | undefined;
  /**
   * Hears of what is submitted, each attempt and each pause between two (`debug`), of exceptions in your callbacks, which never end a call, and
   * of inputs that look wrong (`warn`). Gets no key and no header, and of an image
   * only its kind and size.
   *
   * @default nothing is logged
   */
  readonly logger?: Logger | undefined;
  /** Where time comes from: for tests. @default the machine's clock */
  readonly clock?: Clock | undefined;
  /** Where the chance in pauses comes from, from 0 to 1: for tests. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** Names of the options of `TryOn`. */
export const optionNames: Readonly<Record<keyof TryOnOptions, true>> = {
  apiKey: true,
  baseUrl: true,
  proxyUrl: true,
  fetch: true,
  timeout: true,
  attemptTimeout: true,
  maxResultBytes: true,
  retries: true,
  idempotencyWindow: true,
  keyInMetadata: true,
  validate: true,
  budget: true,
  allowInsecure: true,
  allowLiveKey: true,
  middleware: true,
  logger: true,
  clock: true,
  random: true,
};

/** Options of every call. */
export interface CallOptions {
  /** Ends the call: it rejects at once with the signal's reason. A job that was made runs on, since none can be stopped. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the call may take with everything it does, as milliseconds or a text such as `"3m"`.
   *
   * @default the client's `timeout` for run, submit, result and images; "2m" for the rest
   */
  readonly timeout?: Duration | undefined;
}
