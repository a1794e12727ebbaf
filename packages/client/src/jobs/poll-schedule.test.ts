import { afterEach, describe, expect, it } from "vitest";

import { seededRandom } from "../../test/seeded-random.ts";
import { systemClock } from "../config/clock.ts";
import { RateLimiter } from "../http/rate-limiter.ts";
import { nextPollDelay, PollSchedule } from "./poll-schedule.ts";

const start = 1_000_000;
/** Median of the run times before the first try-on of a client has ended, and their usual spread. */
const median = 12_000;
const spread = 0.557;

/** Creates the schedule of a client that has sent nothing, on a clock that the test sets. */
function createSchedule() {
  const time = { now: start };
  const config = { clock: { ...systemClock, now: () => time.now }, random: () => 0.5 };
  const rateLimiter = new RateLimiter(config.clock, config.random);
  const schedule = new PollSchedule(config, rateLimiter);
  return {
    schedule,
    rateLimiter,
    /** Sends other requests after a delay, and returns the allowed polls per minute. */
    pollsAt: (delay: number, others = 0): number => {
      time.now = start + delay;
      rateLimiter.sent += others;
      return 60_000 / schedule.interval();
    },
    /** Returns the delay before the first poll of a job. */
    firstDelay: (kind: string): number =>
      schedule.dueAt({ id: "job_1", kind, startedAt: time.now }, 600_000) - time.now,
  };
}

describe("nextPollDelay", () => {
  it("is first when about one of six has ended, give or take a tenth", () => {
    const first = 0.59 * median;
    expect([0, 0.5, 1].map((chance) => nextPollDelay(0, median, () => chance))).toEqual(
      [0.9, 1, 1.1].map((factor) => expect.closeTo(factor * first)),
    );
    expect(nextPollDelay(2_000, median, () => 0.5)).toBeCloseTo(first - 2_000);
    const deviations = Math.log(0.59) / spread;
    expect(deviations).toBeCloseTo(-0.95);
  });

  it.each([
    { share: 0.799, delay: 0.201 * 0.59 * median },
    { share: 0.8, delay: 15 * Math.sqrt(median) },
  ])("is $delay ms after a first poll at $share of its time", ({ share, delay }) => {
    expect(nextPollDelay(share * 0.59 * median, median, () => 0.5)).toBeCloseTo(delay);
  });

  it.each([
    { deviations: -0.95, hazard: 0.3066 },
    { deviations: 0, hazard: 0.7979 },
    { deviations: 1, hazard: 1.5251 },
  ])("has a cost near the lowest at $deviations deviations", ({ deviations, hazard }) => {
    // With an end at the rate r, delays d cost r·d/2 of waiting, and 1/d polls of 165 ms each.
    const age = median * Math.exp(deviations * spread);
    const best = Math.sqrt((2 * 165 * spread * age) / hazard);
    const ratio = nextPollDelay(age, median, () => 0.5) / best;
    expect((ratio + 1 / ratio) / 2).toBeLessThan(1.03);
  });

  it.each([
    { age: 600, delay: 500, of: 1_000 },
    { age: 60_000, delay: 3_600, of: median },
    { age: 3_600_000, delay: 8_000, of: median },
  ])("is $delay ms at an age of $age ms", ({ age, delay, of }) => {
    expect(nextPollDelay(age, of, () => 0.5)).toBeCloseTo(delay);
  });
});

describe("the time of a poll", () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, "document");
  });

  it.each([
    { delay: 7_080 },
    { known: false, delay: 0 },
    { age: 2_000, delay: 5_080 },
    { left: 8_081, delay: 7_080 },
    { left: 8_079, delay: 7_079 },
    { left: 1_001, delay: 1 },
    { left: 1_000, delay: 7_080 },
    { visibilityState: "hidden", delay: 30_000 },
    { visibilityState: "hidden", known: false, delay: 30_000 },
    { visibilityState: "hidden", left: 20_000, delay: 19_000 },
    { visibilityState: "visible", delay: 7_080 },
  ])("is in $delay ms: %o", (row) => {
    const { known = true, age = 0, left = 60_000, visibilityState, delay } = row;
    Reflect.set(globalThis, "document", visibilityState && { visibilityState });
    const startedAt = known ? start - age : undefined;
    const due = createSchedule().schedule.dueAt({ id: "job_1", kind: "1K", startedAt }, left);
    expect(due - start).toBeCloseTo(delay);
  });
});

describe.each([
  { scale: 1, polls: 6, delay: 1_120 },
  { scale: 3, polls: 9, delay: 2_700 },
  { scale: 1 / 3, polls: 6, delay: 700 },
  { scale: 1 / 8, polls: 6, delay: 500 },
])("try-ons with $scale times the usual run time", ({ scale, polls, delay }) => {
  it(`take up to ${polls} polls, and their end is detected after up to ${delay} ms, on average`, () => {
    const random = seededRandom(1);
    const { schedule, firstDelay } = createSchedule();
    const count = 2_000;
    let sum = 0;
    let late = 0;
    for (let one = 0; one < count; one += 1) {
      const bell = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      const duration = scale * median * Math.exp(spread * bell);
      const learned = firstDelay("1K") / 0.59;
      let age = 0;
      for (; age < duration; sum += 1) age += nextPollDelay(age, learned, random);
      late += age - duration;
      schedule.learn("1K", duration);
    }
    expect(sum / count).toBeLessThan(polls);
    expect(late / count).toBeLessThan(delay);
  });
});

describe("run times", () => {
  it("are learned for each kind, and for all kinds together", () => {
    const { schedule, firstDelay } = createSchedule();
    for (let time = 0; time < 50; time += 1) schedule.learn("4K", 40_000);
    for (const kind of ["4K", "2K", ""]) expect(firstDelay(kind)).toBeGreaterThan(0.58 * 40_000);
    for (let time = 0; time < 50; time += 1) schedule.learn("1K", 4_000);
    expect(firstDelay("1K")).toBeLessThan(0.6 * 4_000);
    expect(firstDelay("4K")).toBeGreaterThan(0.58 * 40_000);
  });

  it("follow a service that becomes slower", () => {
    const { schedule, firstDelay } = createSchedule();
    for (let time = 0; time < 500; time += 1) schedule.learn("1K", 5_000);
    for (let time = 0; time < 10; time += 1) schedule.learn("1K", 30_000);
    expect(firstDelay("1K")).toBeGreaterThan(0.59 * 20_000);
  });

  it("are nearly the same after a try-on that took an hour", () => {
    const { schedule, firstDelay } = createSchedule();
    schedule.learn("1K", 3_600_000);
    expect(firstDelay("1K")).toBeCloseTo(0.59 * 12_000 * 10 ** 0.15);
  });

  it.each([undefined, null, Number.NaN, -1, 0, 299])("are not learned from %s ms", (runTime) => {
    const { schedule, firstDelay } = createSchedule();
    schedule.learn("1K", runTime);
    expect(firstDelay("1K")).toBeCloseTo(7_080);
    schedule.learn("1K", 300);
    expect(firstDelay("1K")).toBeLessThan(7_000);
  });

  it("are short for test keys before the first try-on has ended", () => {
    expect(createSchedule().firstDelay("test")).toBeCloseTo(0.59 * 2_000);
  });
});

describe("the allowance of polls", () => {
  it("is most of what other requests of the last minute leave", () => {
    const { pollsAt } = createSchedule();
    expect(pollsAt(0)).toBeCloseTo(0.7 * 60);
    expect(pollsAt(1, 10)).toBeCloseTo(0.7 * 50, 1);
    expect(pollsAt(1, 5)).toBeCloseTo(0.7 * 50, 1);
    expect(pollsAt(2)).toBeCloseTo(0.7 * 45, 1);
    expect(pollsAt(60_002)).toBeCloseTo(0.7 * (60 - 15 / Math.E), 1);
    expect(pollsAt(120_002, 30)).toBeCloseTo(0.7 * (30 + 30 / Math.E - 15 / Math.E ** 2), 1);
  });

  it("is at least a share of the limit", () => {
    const { pollsAt, rateLimiter } = createSchedule();
    rateLimiter.limit = 100;
    expect(pollsAt(0)).toBeCloseTo(70);
    expect(pollsAt(1, 90)).toBeCloseTo(18);
  });

  it("does not count the polls, each of which delays the next one", () => {
    const { schedule, pollsAt, rateLimiter } = createSchedule();
    const delay = 60_000 / pollsAt(0);
    for (let poll = 0; poll < 20; poll += 1) schedule.countPoll();
    rateLimiter.sent += 20;
    expect(schedule.opensAt).toBeCloseTo(start + 20 * delay);
    expect(pollsAt(60_000)).toBeCloseTo(0.7 * 60);
    schedule.countPoll();
    expect(schedule.opensAt).toBeCloseTo(start + 60_000 + delay);
  });
});
