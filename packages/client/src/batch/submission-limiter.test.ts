import { assert, asyncProperty, boolean, integer, record } from "fast-check";
import { describe, expect, it } from "vitest";

import { ConnectionError, type RateLimit, type TryOn } from "../index.ts";
import type { CommonOptions } from "./options.ts";
import type { ItemOutcome } from "./run-item.ts";
import { createSubmissionLimiter, type SubmissionLimiter } from "./submission-limiter.ts";

const now = 1_000_000;
const minute = 60_000;
const rateLimit: RateLimit = { limit: 60, remaining: 60, resetAt: now + minute, source: "headers" };
const perMinute = (limit: number): RateLimit => ({ ...rateLimit, limit, source: "count" });
const noneLeft = { ...rateLimit, remaining: 0, resetAt: now + 7_000 };

/** Creates a limiter with timers that end immediately and advance the time, and are late. */
function limiterOf(known?: RateLimit, options: CommonOptions = {}, lateness = () => 0) {
  const delays: number[] = [];
  const clock = {
    time: now,
    now: () => clock.time,
    monotonic: () => clock.time,
    setTimeout: (callback: () => void, delay: number) => {
      delays.push(delay);
      clock.time += delay + lateness();
      callback();
    },
    clearTimeout: () => undefined,
  };
  const account = { get: async () => undefined };
  // The limiter uses nothing else of a client.
  const tryon = { clock, rateLimit: known, account, reportWait: () => 0 } as unknown as TryOn;
  const limiter = createSubmissionLimiter(tryon, options, new AbortController().signal);
  const acquire = () => limiter.acquire();
  return { limiter, clock, delays, acquire };
}

/** Returns the start times within two minutes, with timers that are randomly late. */
async function startsOf(limit: number, sync: boolean, lateness: number, seed: number) {
  let random = seed;
  const late = () => (random = (random * 1_103 + 377) % 2_003) % (lateness + 1);
  const { clock, acquire } = limiterOf(perMinute(limit), { sync }, late);
  const starts: number[] = [];
  for (; clock.time < now + 2 * minute; starts.push(clock.time)) await acquire();
  return starts;
}

describe("the next start", () => {
  it.each([
    ["is immediate for the first item", rateLimit, 0, 0],
    ["waits for the reset when nothing remains", noneLeft, 7_000, 7_000],
    [
      "checks an estimated reset again after one interval",
      { ...noneLeft, source: "count" },
      minute / 58.2,
      7_000,
    ],
    ["ignores a reset in the past", { ...noneLeft, resetAt: now - 1 }, 0, 0],
  ] as const)("%s", async (_name, known, first, all) => {
    const { acquire, delays } = limiterOf(known);
    await acquire();
    expect(delays[0] ?? 0).toBeCloseTo(first, 6);
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeCloseTo(all, 6);
  });

  it.each([
    ["is zero without a rate limit", undefined, true, 0],
    ["reserves 3 % of the limit if submissions wait for their results", 60, true, minute / 58.2],
    ["reserves a fifth of the limit for polls", 60, false, minute / 48],
    ["reserves at least 1.5 requests a minute", 10, true, minute / 8.5],
    ["uses at least half of a very small limit", 1, true, minute / 0.5],
    ["is zero for a limit of zero", 0, true, 0],
  ])("after an interval that %s", async (_name, limit, sync, interval) => {
    const known = limit === undefined ? undefined : perMinute(limit);
    const { acquire, clock } = limiterOf(known, { sync });
    for (let count = 0; count < 3; count += 1) await acquire();
    // A start may be 250 ms early, and the next interval counts from when it was due.
    expect(clock.time - now).toBeCloseTo(Math.max(0, 2 * interval - 250), 6);
    clock.time += 9 * minute;
    for (let count = 0; count < 2; count += 1) await acquire();
    // It catches up on nothing.
    const catchUp = clock.time - now - 9 * minute - Math.max(0, 2 * interval - 250);
    expect(catchUp).toBeCloseTo(Math.max(0, interval - 250), 6);
  });

  it("stays within the limit in any 60 seconds and uses 90 % of it, with late timers", async () => {
    const cases = record({
      limit: integer({ min: 1, max: 300 }),
      sync: boolean(),
      lateness: integer({ min: 0, max: 400 }),
      seed: integer({ min: 0, max: 2_000 }),
    });
    await assert(
      asyncProperty(cases, async ({ limit, sync, lateness, seed }) => {
        const starts = await startsOf(limit, sync, lateness, seed);
        for (const [index, at] of starts.entries()) {
          const later = starts[index + limit] ?? Number.POSITIVE_INFINITY;
          expect(later - at).toBeGreaterThanOrEqual(minute);
        }
        const mayUseLess = !sync || limit < 30 || lateness > 200;
        expect(mayUseLess || starts.length / 2 > 0.9 * limit).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

it.each([
  [undefined, 1, Number.POSITIVE_INFINITY],
  [1, 1, 1],
  [60, 10, 10],
])("with a limit of %s, reads ahead the items of ten seconds", async (limit, before, after) => {
  const { limiter, acquire } = limiterOf(limit === undefined ? undefined : perMinute(limit));
  expect(limiter.readAhead).toBe(before);
  await acquire();
  expect(limiter.readAhead).toBe(after);
});

const failed = { error: new ConnectionError("connection_failed", "no", {}) };
const succeeded = { attempts: [] };
const throttled: ItemOutcome = { attempts: [{ startedAt: now, duration: 1, status: 429 }] };

/** Returns the maximum number of items in flight. */
function windowOf(limiter: SubmissionLimiter): number {
  let items = 0;
  while (!limiter.isFull(items)) items += 1;
  return items;
}

/** Reports outcomes of items that fill the window, one second apart. */
function end({ limiter, clock }: ReturnType<typeof limiterOf>, outcomes: readonly ItemOutcome[]) {
  for (const outcome of outcomes) {
    limiter.ended({ startedAt: clock.time, ...outcome }, windowOf(limiter));
    clock.time += 1_000;
  }
}

const many = (length: number): ItemOutcome[] => Array.from({ length }, () => succeeded);

describe("the number of items in flight", () => {
  it.each([
    ["adds one after each success at first", many(1), 9],
    ["adds one with each round after it was halved once", [throttled, ...many(4)], 4],
    ["adds one with each round after it was halved once (5)", [throttled, ...many(5)], 5],
    ["stops at 100", many(200), 100],
    ["halves after a 429 or 503", [...many(12), throttled], 10],
    ["halves once for all requests sent before", [throttled, throttled, throttled], 4],
    ["halves after each failure", [failed, failed], 2],
    ["doubles again after a failure", [throttled, failed, ...many(3)], 5],
    ["stops at one", Array.from({ length: 9 }, () => failed), 1],
  ])("%s", (_name, outcomes, expected) => {
    const limited = limiterOf();
    end(limited, outcomes);
    expect(windowOf(limited.limiter)).toBe(expected);
  });

  it("stays the same if the window was not full, or with a fixed concurrency", () => {
    const { limiter } = limiterOf();
    limiter.ended({ startedAt: now }, 7);
    expect(windowOf(limiter)).toBe(8);
    const fixed = limiterOf(undefined, { concurrency: 3 });
    end(fixed, [failed, throttled, succeeded]);
    expect(windowOf(fixed.limiter)).toBe(3);
  });
});
