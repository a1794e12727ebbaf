import { expect, onTestFinished, test, vi } from "vitest";

import { setupMock, type TestHooks, type TestMockOptions } from "./setup-mock.ts";
import { caller } from "../../test/caller.ts";

const clientClock = Symbol.for("@tryon/client.clock");
const environment = () =>
  ["BASE_URL", "API_KEY", "WEBHOOK_SECRET", "MOCK_TOKEN"].map(
    (name) => process.env[`TRYON_${name}`],
  );
const sharedClock = (): unknown => Reflect.get(globalThis, clientClock);

/** Calls `setupMock` with hooks that the test runs. */
function setUp(options?: TestMockOptions) {
  const hooks = new Map<string, () => Promise<void>>();
  const keep = (name: keyof TestHooks) => (hook: () => Promise<void>) => hooks.set(name, hook);
  const mock = setupMock(
    {
      beforeAll: keep("beforeAll"),
      beforeEach: keep("beforeEach"),
      afterEach: keep("afterEach"),
      afterAll: keep("afterAll"),
    },
    options,
  );
  onTestFinished(() => void Reflect.deleteProperty(globalThis, clientClock));
  const run = async (...names: readonly (keyof TestHooks)[]): Promise<void> => {
    for (const name of names) await hooks.get(name)?.();
  };
  return { mock, run };
}

/** Starts a mock that rejects unawaited jobs, and returns a function that ends the test. */
async function strictMock(options: TestMockOptions = {}) {
  const { mock, run } = setUp({ unawaitedJobs: "error", ...options });
  await run("beforeAll", "beforeEach");
  onTestFinished(() => run("afterAll"));
  return { mock, call: caller(mock), endTest: () => run("afterEach") };
}

test("sets the environment before each test, and restores it at the end", async () => {
  vi.stubEnv("TRYON_BASE_URL", "https://tryon.example");
  vi.stubEnv("TRYON_API_KEY", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { mock, run } = setUp();
  expect(environment()[0]).toBe("https://tryon.example");
  expect(() => mock.url).toThrow("Read it in a hook or in a test.");
  await run("beforeAll");
  const token = expect.stringMatching(/^[\w-]{32}$/) as unknown;
  const set = [mock.url, mock.keys.live, mock.webhookSecret, token];
  expect(environment()).toEqual(set);
  expect(mock.baseUrl).toBe(mock.url);
  process.env["TRYON_API_KEY"] = mock.keys.empty;
  await run("afterEach", "beforeEach");
  expect(environment()).toEqual(set);
  await run("afterEach", "afterAll");
  expect(environment()).toEqual(["https://tryon.example", undefined, undefined, undefined]);
  await expect(fetch(mock.url)).rejects.toThrow("fetch failed");
});

test("shares a manual clock at once and until the end, innermost first", async () => {
  const outer = setUp({ clock: "manual" });
  expect(sharedClock()).toBe(outer.mock.clock);
  const inner = setUp({ clock: "manual" });
  const real = setUp();
  await outer.run("beforeAll");
  expect(sharedClock()).toBe(outer.mock.clock);
  await inner.run("beforeAll");
  expect(sharedClock()).toBe(inner.mock.clock);
  await inner.run("afterAll");
  expect(sharedClock()).toBe(outer.mock.clock);
  await real.run("beforeAll");
  expect(sharedClock()).toBeUndefined();
  await real.run("afterAll");
  await outer.run("afterAll");
  expect(Object.getOwnPropertySymbols(globalThis)).not.toContain(clientClock);
});

test.each([
  [{ unawaitedJob: "error" }, "Did you mean unawaitedJobs?"],
  [{ port: 4_010 }, "port is not an option of useMock. Use one of: "],
])("rejects %j", (options, message) => {
  // Not a value of the type.
  expect(() => setUp(options as object)).toThrow(message);
  expect(sharedClock()).toBeUndefined();
});

test("accepts jobs that the app awaited, in each way, and those it does not pay or poll", async () => {
  const { mock, call, endTest } = await strictMock({ sendWebhook: async () => new Response() });
  await call.submit({ wait: true });
  await call.submit({ wait: true, prompt: "mock:content_blocked" });
  const key = { "idempotency-key": "order-1" };
  const { body } = await call.submit({}, key);
  await call.submit({}, key);
  await call.submit();
  await mock.clock.advance("1s");
  await call.poll(body.job_id);
  await call.list("?limit=1");
  await call.submit({ webhook_url: "https://shop.example/hook" });
  await caller(mock, mock.keys.test).submit();
  await caller(mock, mock.keys.empty).submit();
  await expect(endTest()).resolves.toBeUndefined();
});

test.each<[string, TestMockOptions, (call: ReturnType<typeof caller>) => Promise<unknown>]>([
  ["a job in progress", { latency: "1h" }, (call) => call.submit()],
  [
    "a job that was polled only before its end",
    { latency: "1h" },
    async (call) => {
      const { body } = await call.submit();
      await call.poll(body.job_id);
    },
  ],
  ["an ended job that was not polled", {}, (call) => call.submit()],
  [
    "a failed job that was not polled",
    {},
    (call) => call.submit({ prompt: "mock:storage_failed" }),
  ],
])("rejects a test that leaves %s, and resets the mock", async (_what, options, leave) => {
  const { mock, call, endTest } = await strictMock(options);
  await leave(call);
  await expect(endTest()).rejects.toThrow(
    /1 paid try-on: job_\w+\. Await run\(\) or job\.result\(\), or set webhook_url\./,
  );
  expect(mock.journal.entries()).toEqual([]);
  await endTest();
});

test("rejects a test that leaves a submission or whose response was lost", async () => {
  const { mock, call, endTest } = await strictMock({ latency: "1h" });
  const lost = call.submit({ wait: true }).catch(String);
  await mock.journal.waitFor("POST /api/v1/tryon", { until: "arrived" });
  mock.faults.add({ on: "POST /api/v1/tryon", reset: "after" });
  await expect(call.submit()).rejects.toThrow(TypeError);
  await expect(endTest()).rejects.toThrow(/2 paid try-ons: a submission in progress, job_\w+\./);
  expect(await lost).toContain("TypeError");
});
