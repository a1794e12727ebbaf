import { describe, expect, it } from "vitest";

import { systemClock } from "../config/clock.ts";
import { RateLimiter } from "../http/rate-limiter.ts";
import { PollAllowance } from "./poll-allowance.ts";

const start = 1_000_000;

/** Creates the allowance of a client that has sent nothing, on a clock that the test sets. */
function createAllowance() {
  const time = { now: start };
  const clock = { ...systemClock, now: () => time.now };
  const rateLimiter = new RateLimiter(clock, () => 0);
  const allowance = new PollAllowance({ config: { clock }, rateLimiter });
  return {
    allowance,
    rateLimiter,
    /** Sends other requests after a delay, and returns the allowed polls per minute. */
    pollsAt: (delay: number, others = 0): number => {
      time.now = start + delay;
      rateLimiter.sent += others;
      return 60_000 / allowance.delay();
    },
  };
}

describe("the allowance of polls", () => {
  it("is most of what other requests of the last minute leave", () => {
    const { pollsAt } = createAllowance();
    expect(pollsAt(0)).toBeCloseTo(0.7 * 60);
    expect(pollsAt(500, 10)).toBeCloseTo(0.7 * 50);
    expect(pollsAt(1_000, 10)).toBeCloseTo(0.7 * 40);
    expect(pollsAt(60_500)).toBeCloseTo(0.7 * 40);
    expect(pollsAt(60_999)).toBeCloseTo(0.7 * 40);
    expect(pollsAt(61_000)).toBeCloseTo(0.7 * 60);
    expect(pollsAt(62_000, 5)).toBeCloseTo(0.7 * 55);
  });

  it("is at least a share of the limit", () => {
    const { pollsAt, rateLimiter } = createAllowance();
    rateLimiter.limit = 100;
    expect(pollsAt(0)).toBeCloseTo(70);
    expect(pollsAt(1_000, 90)).toBeCloseTo(18);
  });

  it("delays the next poll after polls, which do not count as other requests", () => {
    const { allowance, pollsAt, rateLimiter } = createAllowance();
    const delay = 60_000 / pollsAt(0);
    allowance.count(20);
    rateLimiter.sent += 20;
    expect(allowance.opensAt).toBeCloseTo(start + 20 * delay);
    expect(pollsAt(2_000)).toBeCloseTo(0.7 * 60);
    allowance.spaceLists();
    expect(allowance.opensAt).toBeCloseTo(start + 20 * delay);
  });

  it("delays the next poll by a second after a list", () => {
    const { allowance } = createAllowance();
    allowance.spaceLists();
    expect(allowance.opensAt).toBe(start + 1_000);
  });
});
