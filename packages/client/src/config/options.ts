import type { BudgetLimit } from "../types/budget.ts";
import type { Duration } from "../types/call-options.ts";
import type { Middleware } from "../types/middleware.ts";

export const defaults = {
  timeout: 600_000,
  callTimeout: 120_000,
  attemptTimeout: 30_000,
  /** Maximum time without progress of an upload. */
  uploadIdle: 30_000,
  retries: 3,
  /** 64 MiB: larger than any 4K PNG. */
  maxResultBytes: 67_108_864,
  /** Time for which the client assumes that the service keeps an idempotency key. */
  idempotencyWindow: 1_800_000,
} as const;

/** Maximum time of a synchronous response of the service, in milliseconds. */
export const maxSyncWait = 90_000;
/** Time that `sync: "auto"` needs in addition, for upload and download, in milliseconds. */
export const syncGrace = 30_000;

/** Source of time for a client. The clock of the reference server implements it. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /**
   * Returns milliseconds since any start, like `performance.now()`. Setting the date of the machine must not change it.
   * Timeouts and delays go by it.
   *
   * @default the time that `now` has moved forward
   */
  monotonic?(): number;
  /** Calls back once, after `delay` milliseconds. */
  setTimeout(callback: () => void, delay: number): unknown;
  /** Cancels a timer. */
  clearTimeout(timer: unknown): void;
}

/** Receiver of log messages, for the levels that it has a method for: `console`, for example. */
export type Logger = {
  readonly [Level in "debug" | "info" | "warn" | "error"]?: (
    message: string,
    details?: unknown,
  ) => void;
};

/**
 * Function like the global `fetch`.
 *
 * @inline
 */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of `TryOn`. */
export interface TryOnOptions {
  /**
   * API key, `svc_live_…` or `svc_test_…`, or a function that returns it, for keys from a secret manager.
   *
   * The client calls the function once per call. The key serves every attempt of that call and the polls of its job, since
   * jobs and idempotency keys belong to an API key. If the service rejects the key with 401 and nothing has happened, the
   * client calls the function again and repeats the call if it returns another key. An error of the function rejects the
   * call, and nothing is sent.
   *
   * @default the environment variable TRYON_API_KEY, read by the first request
   * @example
   * import { readFile } from "node:fs/promises";
   * import { TryOn } from "@tryon/client";
   *
   * const tryon = new TryOn({ apiKey: () => readFile("/run/secrets/tryon-api-key", "utf8"), baseUrl });
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Earlier API keys, after a rotation. The client uses them only to find and to continue what was submitted under them:
   * it waits for their jobs and searches their lists, and submits nothing with them.
   *
   * @default the environment variable TRYON_RECOVERY_KEYS, separated by commas
   */
  readonly recoveryKeys?: readonly string[] | undefined;
  /**
   * URL of the service, without `/api/v1`. It must be https, unless it is this machine or `allowInsecure` is set.
   *
   * @default the environment variable TRYON_BASE_URL, read by the first request; the client has no built-in URL
   */
  readonly baseUrl?: string | URL | undefined;
  /**
   * URL of a proxy made by `createProxy` of `@tryon/client/proxy`, for pages. Replaces `apiKey` and `baseUrl`, which the
   * proxy has. A path is on the page's own site and gets its cookies. The URL of another site must be https, unless it is
   * this machine or `allowInsecure` is set.
   *
   * @default none: the client sends requests to the service itself
   * @example
   * import { TryOn } from "@tryon/client";
   *
   * const tryon = new TryOn({ proxyUrl: "/api/tryon" });
   */
  readonly proxyUrl?: string | URL | undefined;
  /**
   * Function that sends the requests, like the global `fetch`. It gets a URL and an init, and must support
   * `redirect: "manual"`, `signal`, and bodies that are texts, a `Blob` or a `ReadableStream`. Its response needs `status`,
   * `ok`, `headers`, `text()` and `arrayBuffer()`. Its `body` may be a web stream, in Node a stream of Node, or missing.
   *
   * In Node, node-fetch and cross-fetch get bytes and streams of Node, which they support. A function around one of them must
   * convert a `ReadableStream` itself.
   *
   * @default `node:http` in Node, and the global `fetch` elsewhere, see `transport`
   * @example
   * import { TryOn } from "@tryon/client";
   * import { createMock } from "@tryon/mock";
   *
   * const mock = createMock();
   * const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: mock.baseUrl, fetch: mock.fetch });
   */
  readonly fetch?: Fetch | undefined;
  /**
   * With `"fetch"`, requests in Node go to the global `fetch`, as in every other runtime. With `"node"`, they go through
   * `node:http` and `node:https`, also if a test has replaced `fetch`. MSW and nock intercept both.
   *
   * By default, requests in Node go through `node:http`. Without an `agent`, the global `fetch` gets them if a test has
   * replaced it or its dispatcher, and a proxy that is its dispatcher does, too. The wrapper of a tracer or a framework
   * replaces nothing. The first such request is logged (`info`). Only Node accepts `"node"`, and not together with `fetch`.
   *
   * @default `node:http` in Node, `fetch` elsewhere
   * @throws `invalid_config` before sending, if a test has replaced `fetch` and there is an `agent`, but no `transport`
   * @example
   * import { TryOn } from "@tryon/client";
   *
   * const tryon = new TryOn({ transport: "node" });
   */
  readonly transport?: "fetch" | "node" | undefined;
  /**
   * Agent of `node:https`, or of `node:http` for a URL with http, for your own certificates, mutual TLS or a proxy. The
   * client closes none of its connections. All requests go through `node:http` with it, whatever has replaced `fetch`. Not
   * together with `fetch` or `transport: "fetch"`, and only in Node.
   *
   * @default an agent that keeps connections open and uses the environment variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY,
   * in Node versions whose agents know `proxyEnv` (24.5 and later); hosts of this machine are never reached through a proxy
   * @example
   * import { readFile } from "node:fs/promises";
   * import { Agent } from "node:https";
   * import { TryOn } from "@tryon/client";
   *
   * const agent = new Agent({ keepAlive: true, ca: await readFile("company-ca.pem") });
   * const tryon = new TryOn({ agent });
   */
  readonly agent?: Readonly<Record<"destroy", () => void>> | undefined;
  /**
   * Maximum duration of `run`, `submit`, `job.result` and the download of an image, in milliseconds or as a string such as
   * `"3m"`. The `timeout` of a call takes precedence. Other calls have 2 minutes.
   *
   * @default "10m"
   */
  readonly timeout?: Duration | undefined;
  /**
   * Maximum duration of one attempt, from its last byte sent until its response is read. A synchronous submission gets
   * 90 seconds more. An upload ends after 30 seconds without progress. Where progress is unknown, as in browsers, its size
   * sets the limit. For an image, it is the maximum time without a byte.
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
   * Maximum number of retries of a request after transient failures. Waiting for the rate limit does not count, and neither do
   * cuts of a synchronous response within 90 seconds, unless this is 0.
   *
   * @default 3
   */
  readonly retries?: number | undefined;
  /**
   * With `"wait"`, calls wait for the rate limit of the key, within their timeout and up to 60 seconds at a time. With
   * `"throw"`, a call rejects with `rate_limited` at once after a 429, and without a request while the client would have to
   * wait; `retryAfter` of the error has the seconds to wait. In both cases nothing is charged.
   *
   * With a function, calls wait, too. It is called before each wait with the milliseconds, so that you can show it. Errors
   * that it throws are ignored.
   *
   * Polls of a job wait in any case, since it may be paid for, and so do retries of a submission or a purchase that may have
   * arrived. Use `"wait"` or a function for `batch`, whose items fail otherwise.
   *
   * @default "wait"
   */
  readonly onRateLimit?: "wait" | "throw" | ((delay: number) => unknown) | undefined;
  /**
   * Time between two polls of a job, from 100 milliseconds to 1 hour, in milliseconds or as a string such as `"2s"`.
   * `"auto"` adapts to the run times of earlier try-ons and to the rate limit. A poll is later if the rate limit is exhausted
   * or the page is hidden, and earlier at the end of the timeout. The `pollInterval` of a call takes precedence.
   *
   * @default the environment variable TRYON_POLL_INTERVAL, which `useMock` of `@tryon/mock` sets for tests, or `"auto"`
   */
  readonly pollInterval?: Duration | "auto" | undefined;
  /**
   * Time for which the client assumes that the service remembers an idempotency key and returns the same job for the same
   * body, in milliseconds or as a string such as `"30m"`. The service documents neither. In the first 90 % of it, the client
   * may retry a submission with an unknown outcome; a later retry could arrive too late and pay twice. If the service forgets
   * keys sooner, set a shorter time. After it, `recover()` only looks for the job in the list, which requires `keyInMetadata`.
   *
   * @default "30m"
   */
  readonly idempotencyWindow?: Duration | undefined;
  /**
   * If true, puts the idempotency key into the metadata of each job as `_tryon_key`, if it has fewer than 8 keys. Then
   * `recover()` finds the job at any later time. The client removes the key from the jobs that it returns. The
   * `keyInMetadata` of a call takes precedence.
   *
   * @default false
   */
  readonly keyInMetadata?: boolean | undefined;
  /**
   * If true, `run` and `submit` validate the input before sending it. Errors reject with `invalid_input`, and warnings go
   * to `logger`. `tryon.validate` returns both.
   *
   * @default true
   */
  readonly validate?: boolean | undefined;
  /**
   * Maximum number of credits that the try-ons of this client may cost in all. A try-on above it is rejected with
   * `budget_exceeded` before anything is sent. A `Budget` can be read, and shared with other clients and calls. The `budget`
   * of a call applies in addition.
   *
   * @default no limit but the balance of the key
   */
  readonly budget?: BudgetLimit | undefined;
  /**
   * If true, allows http to another machine, where others can read the key and the images.
   *
   * @default false
   */
  readonly allowInsecure?: boolean | undefined;
  /**
   * If true, allows a live key in a browser, where every visitor can read it, and under a test runner, where it costs money.
   * Not needed if the URL is this machine or `fetch` is set.
   *
   * @default false
   */
  readonly allowLiveKey?: boolean | undefined;
  /**
   * Functions that handle each attempt of each request to the service, in this order. They may change it. Downloads of
   * result images do not pass through them.
   *
   * @default none
   */
  readonly middleware?: Middleware | readonly Middleware[] | undefined;
  /**
   * Receives submissions, attempts and retry delays (`debug`), errors thrown by your callbacks, and inputs with warnings
   * (`warn`), and the end of each job (`info`). Messages contain no key and no header, and of an image only its type and
   * size.
   *
   * @default In Node, what the environment variable TRYON_LOG selects: `debug`, `info` or `warn` with the levels above it go to
   * stderr, `off` logs nothing. Without the variable, warnings about inputs are printed, each code once per process, and
   * never if NODE_ENV is `production`. In other runtimes, nothing is logged
   */
  readonly logger?: Logger | undefined;
  /** Source of time, for tests. @default the machine's clock, or that of `useMock({ clock: "manual" })` in its tests */
  readonly clock?: Clock | undefined;
  /** Random source for retry jitter, from 0 to 1, for tests. @default Math.random */
  readonly random?: (() => number) | undefined;
}

export const optionNames: Readonly<Record<keyof TryOnOptions, true>> = {
  apiKey: true,
  recoveryKeys: true,
  baseUrl: true,
  proxyUrl: true,
  fetch: true,
  transport: true,
  agent: true,
  timeout: true,
  attemptTimeout: true,
  maxResultBytes: true,
  retries: true,
  onRateLimit: true,
  pollInterval: true,
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
