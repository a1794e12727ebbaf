import { describe, expect, it } from "vitest";

import { Budget, type TryOn } from "../index.ts";
import { createRawClient } from "../raw/index.ts";
import { createService, cut, input, respondWith, type Fault } from "../../test/service.ts";

const tooMany = (seconds: number) =>
  respondWith(429, { detail: "Rate limit exceeded" }, { "retry-after": String(seconds) });

/** Creates a service, and a client that throws at the rate limit. */
function createThrowing(mockOptions: Parameters<typeof createService>[0] = {}) {
  return createService(mockOptions, { onRateLimit: "throw" });
}

const purchase = { pack_slug: "demo", shared_payment_granted_token: "spt_one" } as const;
const calls: [string, (tryon: TryOn) => Promise<unknown>][] = [
  ["run", (tryon) => tryon.run(input)],
  ["submit", (tryon) => tryon.submit(input)],
  ["account.get", (tryon) => tryon.account.get()],
  ["jobs.get", (tryon) => tryon.jobs.get("job_1")],
  ["jobs.list", (tryon) => tryon.jobs.list().page()],
  ["credits.purchase", (tryon) => tryon.credits.purchase(purchase)],
];

describe('onRateLimit: "throw"', () => {
  it.each(calls)(
    "rejects %s at once after a 429, and without a request until Retry-After has passed",
    async (_name, call) => {
      const { error, run, tryon, faults, sent, mock, balance } = createThrowing();
      faults.push(tooMany(20));
      const start = mock.clock.now();
      expect(await error(call(tryon))).toMatchObject({
        code: "rate_limited",
        status: 429,
        retryAfter: 20,
        attempts: [{ status: 429 }],
      });
      expect(mock.clock.now()).toBe(start);
      await mock.clock.advance("5s");
      const refused = await error(call(tryon));
      expect(refused).toMatchObject({ code: "rate_limited", retryAfter: 15, attempts: [] });
      expect(String(refused)).toContain("was not sent");
      expect(sent).toHaveLength(1);
      await mock.clock.advance("15s");
      await run(tryon.account.get());
      expect([sent.length, await balance()]).toEqual([2, 1_000]);
    },
  );

  it("rejects what would exceed a known limit, and releases its budget", async () => {
    const { error, run, client, mock, sent } = createThrowing({ options: { rateHeaders: "all" } });
    const { token } = await mock.createKey({ rateLimitPerMinute: 3, credits: 100 });
    const budget = new Budget({ maxCredits: 100 });
    const tryon = client({ apiKey: token, onRateLimit: "throw", budget });
    for (let count = 0; count < 3; count += 1) await run(tryon.account.get());
    const refused = await error(tryon.submit(input));
    expect(refused).toMatchObject({ code: "rate_limited", attempts: [] });
    expect(Object(refused)).not.toHaveProperty("recover");
    expect(budget).toMatchObject({ spent: 0, reserved: 0 });
    expect(sent).toHaveLength(3);
    expect(mock.journal.entries().filter(({ status }) => status !== 200)).toEqual([]);
  });

  it("rejects a call behind polls that wait for the end of the limit", async () => {
    const { error, run, tryon, faults, sent, mock } = createThrowing({ latency: "20s" });
    const job = await run(tryon.submit(input));
    const wait = job.result();
    faults.push(tooMany(10));
    await error(tryon.account.get());
    // The poll is due at 7.08 s, may be sent after 10 s, and has a jitter of 0.5 s.
    await mock.clock.advance(10_100);
    const refused = await error(tryon.account.get());
    expect(refused).toMatchObject({ code: "rate_limited", attempts: [] });
    expect(sent).toHaveLength(2);
    await run(wait);
  });

  it.each([1, 3])("lets the polls of %d running jobs wait", async (count) => {
    const { run, error, tryon, faults, mock, sent } = createThrowing({ latency: "9s" });
    const jobs = await Promise.all(Array.from({ length: count }, () => tryon.submit(input)));
    const before = sent.length;
    const wait = tryon.jobs.waitAll(jobs);
    faults.push(tooMany(20));
    await mock.clock.advance("8s");
    expect(sent.length).toBe(before + 1);
    // Other calls are rejected, and the next poll is sent when the limit ends.
    expect(await error(tryon.submit(input))).toMatchObject({ code: "rate_limited" });
    const outcomes = await run(wait);
    expect(outcomes.map(({ result }) => result?.job.status)).toEqual(jobs.map(() => "succeeded"));
    expect((sent[before + 1]?.at ?? 0) - (sent[before]?.at ?? 0)).toBeGreaterThanOrEqual(20_000);
    expect(sent).toHaveLength(before + 2);
  });

  const page = respondWith(429, "<html>Too many</html>", { "content-type": "text/html" });
  it.each<[string, string, Fault[], number, number]>([
    ["submit", "that may have arrived", [cut.after, tooMany(20)], 20_000, 992],
    ["submit", "after a 429 that is not from the service", [page], 0, 992],
    ["credits.purchase", "that may have been paid", [cut.after, tooMany(20)], 20_000, 1_100],
  ])("retries %s %s, and pays once", async (name, _when, given, delay, credits) => {
    const { run, tryon, faults, mock, keys, balance, sent } = createThrowing({
      options: { purchaseRepeat: "replay" },
    });
    faults.push(...given);
    const start = mock.clock.now();
    await run(new Map(calls).get(name)?.(tryon) ?? Promise.reject(new Error("no call")));
    expect(mock.clock.now() - start).toBeGreaterThanOrEqual(delay);
    expect(sent).toHaveLength(given.length + 1);
    expect([keys().size, await balance()]).toEqual([name === "submit" ? 1 : 0, credits]);
  });

  it("rejects a read whose earlier attempt failed, since it can be repeated", async () => {
    const { error, tryon, faults } = createThrowing();
    faults.push(cut.after, tooMany(20));
    expect(await error(tryon.account.get())).toMatchObject({
      code: "rate_limited",
      attempts: [{ failure: "connection_failed" }, { status: 429 }],
    });
  });

  it("returns a 429 to the raw client", async () => {
    const { run, tryon, faults, sent } = createThrowing();
    faults.push(tooMany(20));
    const { response } = await run(createRawClient(tryon).GET("/api/v1/account"));
    expect(response.status).toBe(429);
    expect(sent).toHaveLength(1);
  });
});

it.each(["fail", "", null, true])("rejects onRateLimit: %j", (wrong) => {
  const { client } = createService();
  // Programs without types can pass any value.
  const onRateLimit = wrong as "throw";
  expect(() => client({ onRateLimit })).toThrow(
    'onRateLimit must be "wait", "throw" or a function.',
  );
});

it("waits with a function, which gets the delay before each wait, and whose errors are ignored", async () => {
  const delays: number[] = [];
  const onRateLimit = (delay: number): never => {
    delays.push(delay);
    throw new Error("Ignore this.");
  };
  const { run, tryon, faults, mock, error } = createService({}, { onRateLimit });
  faults.push(tooMany(20), undefined, tooMany(30));
  const start = mock.clock.now();
  await run(tryon.account.get());
  expect(mock.clock.now() - start).toBeGreaterThanOrEqual(20_000);
  expect(delays).toEqual([20_000]);
  // It is not called if the call does not wait.
  await error(tryon.account.get({ timeout: "10s" }));
  expect(delays).toEqual([20_000]);
});
