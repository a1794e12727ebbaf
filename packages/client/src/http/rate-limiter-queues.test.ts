import { createMock } from "@tryon/mock";
import { describe, expect, it } from "vitest";

import { shiftedClock } from "../../test/service.ts";
import { clientClock } from "../config/clock.ts";
import { Deadline } from "./deadline.ts";
import { RateLimiter, readRateLimit, type QueueName } from "./rate-limiter.ts";

/** Creates a limiter without jitter, whose numbers in the order of their release are recorded. */
function createLimiter(random = 0) {
  const { clock } = createMock({ clock: "manual" });
  const start = clock.now();
  const released: string[] = [];
  const { shifted, shift } = shiftedClock(clock);
  const limiter = new RateLimiter(clientClock(shifted), () => random);
  return {
    limiter,
    clock,
    released,
    shift,
    acquire: (queue: QueueName, timeout = 300_000) => {
      const deadline = new Deadline(clientClock(clock), timeout);
      const acquired = limiter.acquire(queue, deadline).finally(() => deadline.close());
      void acquired.then((number) => released.push(`${queue} ${number}`));
    },
    headers: (limit: number, remaining: number, delay: number) =>
      ({ limit, remaining, resetAt: start + delay, source: "headers" }) as const,
  };
}

describe("rate limit headers", () => {
  it.each([
    { headers: "with a lower count", number: 6, remaining: 8, reset: 28_001, taken: true },
    { headers: "with the same count", number: 6, remaining: 9, reset: 30_001, taken: false },
    { headers: "with a higher count", number: 6, remaining: 10, reset: 30_001, taken: false },
    { headers: "of an earlier request", number: 4, remaining: 10, reset: 30_001, taken: true },
    { headers: "of the window", number: 6, remaining: 60, reset: 31_999, taken: false },
    { headers: "of the next window", number: 6, remaining: 60, reset: 32_000, taken: true },
    { headers: "of the last window", number: 6, remaining: 1, reset: 28_000, taken: false },
    { headers: "after 5 s", number: 6, remaining: 8, reset: 30_001, time: 5_000, taken: true },
    { headers: "after longer", number: 6, remaining: 8, reset: 30_001, time: 5_001, taken: false },
  ])("$headers replace the known ones: $taken", (row) => {
    const { number, remaining, reset, taken, time } = { time: 0, ...row };
    const { limiter, headers } = createLimiter();
    limiter.sent = 10;
    limiter.update(5, headers(60, 10, 30_000), 0);
    const known = limiter.rateLimit;
    limiter.update(number, headers(70, remaining, reset), time);
    const newer = { ...headers(70, remaining, reset), remaining: remaining - 10 + number };
    expect(limiter.rateLimit).toEqual(taken ? newer : { ...known, limit: 70 });
  });

  it("hold until their reset, after which the limiter counts and knows the next one", async () => {
    const { limiter, acquire, headers, clock } = createLimiter();
    expect(limiter.rateLimit).toBeUndefined();
    limiter.update(0, headers(3, 2, 1_000), 0);
    await clock.advance(999);
    expect(limiter.rateLimit).toEqual(headers(3, 2, 1_000));
    await clock.advance(1);
    expect(limiter.rateLimit).toEqual({ ...headers(3, 3, 62_000), source: "count" });
    acquire("read");
    await clock.advance(10);
    const counted = { ...headers(3, 2, 62_000), source: "count" };
    expect(limiter.rateLimit).toEqual(counted);
    limiter.block(5_000);
    expect(limiter.rateLimit).toEqual({ ...headers(3, 0, 6_010), source: "count" });
    await clock.advance(5_000);
    expect(limiter.rateLimit).toEqual(counted);
    await clock.advance(55_989);
    expect(limiter.rateLimit).toEqual(counted);
    await clock.advance(1);
    expect(limiter.rateLimit).toMatchObject({ remaining: 3 });
  });

  it.each([
    { limit: 100, remaining: 10, isPolling: true, delay: 30_000 },
    { limit: 100, remaining: 10, isPolling: false, delay: 0 },
    { limit: 100, remaining: 50, isPolling: true, delay: 0 },
    { limit: 1, remaining: 1, isPolling: true, delay: 0 },
    { limit: 1, remaining: 0, isPolling: false, delay: 60_000 },
  ])(
    "of $remaining of $limit delay a submission by $delay ms with polls: $isPolling",
    ({ limit, remaining, isPolling, delay }) => {
      const { limiter, headers } = createLimiter();
      limiter.update(0, headers(limit, remaining, 60_000), 0);
      limiter.isPolling ||= isPolling;
      expect(limiter.delay("submit")).toBeCloseTo(delay);
      expect(limiter.delay("read")).toBe(remaining > 0 ? 0 : delay);
    },
  );
});

describe("the queues of the limiter", () => {
  it("take turns", async () => {
    const { limiter, acquire, clock, released } = createLimiter();
    limiter.block(1_000);
    const queues = ["submit", "submit", "read", "read", "read", "read"] as const;
    for (const queue of queues) acquire(queue);
    await clock.advance(1_000);
    const order = ["submit 1", "read 2", "submit 3", "read 4", "read 5", "read 6"];
    expect(released).toEqual(order);
  });

  it("release each request after its own delay", async () => {
    const { limiter, acquire, clock, released, headers } = createLimiter();
    limiter.update(0, headers(100, 11, 60_000), 0);
    limiter.isPolling = true;
    limiter.block(1_000);
    acquire("submit");
    acquire("read");
    await clock.advance(1_000);
    expect(released).toEqual(["read 1"]);
    await clock.advance(28_999);
    expect(released).toEqual(["read 1"]);
    await clock.advance(1);
    expect(released).toEqual(["read 1", "submit 2"]);
  });

  it("let no request overtake one that waits for its share of the jitter", async () => {
    const { limiter, acquire, clock, released } = createLimiter(1);
    limiter.block(100);
    acquire("read");
    acquire("read");
    await clock.advance(100);
    acquire("read");
    acquire("submit");
    await clock.advance(0);
    expect(released).toEqual(["submit 1"]);
    await clock.advance(499);
    expect(released).toEqual(["submit 1"]);
    await clock.advance(1);
    expect(released).toEqual(["submit 1", "read 2"]);
    await clock.advance(1_500);
    expect(released).toEqual(["submit 1", "read 2", "read 3", "read 4"]);
    acquire("read");
    await clock.advance(0);
    expect(released).toHaveLength(5);
  });

  it("refuse a request at once whose time ends with its delay", async () => {
    const { limiter, acquire, clock, released } = createLimiter();
    limiter.block(1_000);
    acquire("read", 1_000);
    acquire("read", 1_001);
    await clock.advance(0);
    expect(released).toEqual(["read 0"]);
    await clock.advance(1_000);
    expect(released).toEqual(["read 0", "read 1"]);
  });

  it("refuse a request at once that would wait for a window too long", async () => {
    const { limiter, acquire, clock, released } = createLimiter();
    limiter.limit = 2;
    limiter.block(1_000);
    acquire("read");
    acquire("read");
    acquire("read", 61_000);
    await clock.advance(0);
    expect(released).toEqual(["read 0"]);
    limiter.block(61_000);
    acquire("submit");
    await clock.advance(0);
    expect(released).toEqual(["read 0"]);
    limiter.block(61_001);
    acquire("submit");
    await clock.advance(0);
    expect(released).toEqual(["read 0", "submit 0"]);
  });

  it("keep no request whose time is up or whose call is aborted, and no timer", async () => {
    const { limiter, acquire, clock, released } = createLimiter();
    limiter.block(1_000);
    acquire("read", 5_000);
    limiter.block(60_000);
    const controller = new AbortController();
    const deadline = new Deadline(clientClock(clock), 300_000, controller.signal);
    const aborted = limiter.acquire("read", deadline);
    acquire("read");
    await clock.advance(2_000);
    controller.abort("stop");
    await expect(aborted).rejects.toBe("stop");
    deadline.close();
    await clock.advance(3_000);
    expect(released).toEqual(["read 0"]);
    await clock.advance(55_000);
    expect(released).toEqual(["read 0", "read 1"]);
    expect(clock.pending).toBe(0);
  });

  it.each([
    { delay: 5_000, soon: [], later: ["submit 1", "read 2"] },
    { delay: 62_000, soon: [], later: [] },
    { delay: 62_001, soon: ["submit 0", "read 0"], later: ["submit 0", "read 0"] },
  ])("take a later delay of $delay ms into account", async ({ delay, soon, later }) => {
    const { limiter, acquire, clock, released } = createLimiter();
    limiter.block(1_000);
    acquire("submit");
    acquire("read");
    await clock.advance(0);
    limiter.block(delay);
    await clock.advance(1_000);
    expect(released).toEqual(soon);
    await clock.advance(4_000);
    expect(released).toEqual(later);
  });
});

it("a clock that is set back changes no delay, and the reset follows its date", async () => {
  const { limiter, acquire, headers, clock, released, shift } = createLimiter();
  acquire("read");
  limiter.update(1, headers(9, 2, 9_000), 0);
  limiter.block(5_000);
  shift(-3_600_000);
  expect(limiter.delay("read")).toBe(5_000);
  expect(limiter.rateLimit).toMatchObject(headers(9, 2, 9_000 - 3_600_000));
  acquire("read");
  await clock.advance(4_999);
  expect(released).toEqual(["read 1"]);
  await clock.advance(1);
  expect(released).toEqual(["read 1", "read 2"]);
});

it.each([
  ["60", "5", "9", { limit: 60, remaining: 5, resetAt: 10_000, source: "headers" }],
  ["0", "0", "0", undefined],
  ["-1", "5", "9", undefined],
  ["", "5", "9", undefined],
  ["60", "many", "9", undefined],
  ["60", "5", "Infinity", undefined],
])("reads the headers %j, %j, %j as %j", (limit, remaining, reset, expected) => {
  const headers = new Headers({
    "x-ratelimit-limit": limit,
    "x-ratelimit-remaining": remaining,
    "x-ratelimit-reset": reset,
  });
  expect(readRateLimit(headers, 1_000)).toEqual(expected);
});
