import { oneOf, readValue, rejectUnknown } from "@tryon/shared/options";
import { createMock, type Mock, type MockOptions } from "@tryon/mock";

import { mockRules } from "../mock-interface.ts";
import type { SystemClock } from "../system/clock.ts";
import type { Duration } from "../system/duration.ts";
import { nodeNetwork } from "./network.ts";
import { serve, type Serving } from "./serve.ts";
import { UnawaitedJobs } from "./unawaited-jobs.ts";

/** Options of `useMock` and `setupMock`. */
export interface TestMockOptions extends Omit<MockOptions, "baseUrl"> {
  /**
   * Duration of one try-on.
   * @default 0
   */
  latency?: Duration;
  /**
   * If "error", fails a test at whose end a paid try-on is still in progress, or has ended without the app reading its
   * status. Try-ons with a `webhook_url` do not count.
   * @default "ignore"
   */
  unawaitedJobs?: "error" | "ignore";
}

const optionNames = [
  ...Object.keys(mockRules).filter((name) => name !== "baseUrl"),
  "unawaitedJobs",
];

/** Functions of a test runner that run a function before or after the tests. */
export interface TestHooks {
  /** Runs it before the first test: `before` of `node:test`. */
  readonly beforeAll: (hook: () => Promise<void>) => unknown;
  /** Runs it before each test. */
  readonly beforeEach: (hook: () => Promise<void>) => unknown;
  /** Runs it after each test, which fails if the promise rejects. */
  readonly afterEach: (hook: () => Promise<void>) => unknown;
  /** Runs it after the last test: `after` of `node:test`. */
  readonly afterAll: (hook: () => Promise<void>) => unknown;
}

/** A reference server for tests. */
export interface TestMock extends Mock {
  /** URL of the server, the same as `baseUrl` and `TRYON_BASE_URL`. Available in hooks and tests. */
  readonly url: string;
}

const variables = [
  "TRYON_BASE_URL",
  "TRYON_API_KEY",
  "TRYON_WEBHOOK_SECRET",
  "TRYON_MOCK_TOKEN",
  "TRYON_POLL_INTERVAL",
] as const;

/** Time between polls of clients in tests on the clock of the machine, whose jobs end at once by default. */
const pollInterval = "100ms";

/** Clock of all clients that are configured while it is set. */
const sharedClock = Symbol.for("@tryon/client.clock");

/** Clocks of the mocks whose tests run, innermost last. */
const clocks: (SystemClock | undefined)[] = [];

/**
 * Starts a reference server for the tests of a file, and resets it after each test. `useMock` of `@tryon/mock/vitest` does
 * the same without hooks.
 *
 * Sets `TRYON_BASE_URL`, `TRYON_API_KEY`, `TRYON_WEBHOOK_SECRET` and, for the control API, `TRYON_MOCK_TOKEN` before each
 * test, and restores them at the end. Also sets `TRYON_POLL_INTERVAL`, so that clients poll a job every 100 ms. With
 * `clock: "manual"`, they poll as usual: all clients that send their first request afterwards, or are created afterwards with URL and key, use
 * the clock of the mock.
 *
 * @throws TypeError for an unknown option, with the likely name, or an invalid value.
 * @example
 * ```ts
 * import { after, afterEach, before, beforeEach } from "node:test";
 * import { setupMock } from "@tryon/mock/node";
 *
 * const mock = setupMock({ beforeAll: before, beforeEach, afterEach, afterAll: after });
 * ```
 */
export function setupMock(hooks: TestHooks, options: TestMockOptions = {}): TestMock {
  const mock = createTestMock(options);
  const clock = mock.clock.mode === "manual" ? mock.clock : undefined;
  const unawaitedJobs = options.unawaitedJobs === "error" ? new UnawaitedJobs(mock) : undefined;
  const fetch = unawaitedJobs?.fetch ?? mock.fetch;
  const environment: Record<string, string | undefined> = {};
  let server: Serving | undefined;
  // Clients may be created before the first hook.
  if (clock) shareClock(clock);

  const url = (): string => {
    if (server) return server.url;
    throw new Error("The mock has no URL before the tests start. Read it in a hook or in a test.");
  };
  const setEnvironment = (): void =>
    assignEnvironment({
      TRYON_BASE_URL: url(),
      TRYON_API_KEY: mock.keys.live,
      TRYON_WEBHOOK_SECRET: mock.webhookSecret,
      TRYON_MOCK_TOKEN: server?.controlToken,
      ...(mock.clock.mode !== "manual" && { TRYON_POLL_INTERVAL: pollInterval }),
    });

  hooks.beforeAll(async () => {
    clocks.push(clock);
    shareClock(clock);
    server = await serve({ fetch });
    for (const name of variables) environment[name] = process.env[name];
    setEnvironment();
  });
  hooks.beforeEach(async () => setEnvironment());
  hooks.afterEach(async () => {
    const unawaited = unawaitedJobs?.take() ?? [];
    await mock.reset();
    if (unawaited.length > 0) throw unawaitedError(unawaited);
  });
  hooks.afterAll(async () => {
    assignEnvironment(environment);
    clocks.pop();
    shareClock(clocks.at(-1));
    mock.close();
    await server?.close();
  });

  return {
    ...mock,
    fetch,
    get url() {
      return url();
    },
    get baseUrl() {
      return url();
    },
  };
}

/** @throws TypeError for an unknown option, with the likely name, or an invalid value. */
function createTestMock({ unawaitedJobs, ...options }: TestMockOptions): Mock {
  rejectUnknown("an option of useMock", options, optionNames);
  readValue("unawaitedJobs", unawaitedJobs, oneOf("error", "ignore"));
  return createMock({ network: nodeNetwork(), ...options, latency: options.latency ?? 0 });
}

function shareClock(clock: SystemClock | undefined): void {
  if (clock) Reflect.set(globalThis, sharedClock, clock);
  else Reflect.deleteProperty(globalThis, sharedClock);
}

function assignEnvironment(values: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
}

function unawaitedError(jobs: readonly string[]): Error {
  return new Error(
    `The test ended before its app had the result of ${jobs.length} paid try-on${jobs.length === 1 ? "" : "s"}: ` +
      `${jobs.slice(0, 5).join(", ")}. Await run() or job.result(), or set webhook_url.`,
  );
}
