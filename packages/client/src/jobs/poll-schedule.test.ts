import { afterEach, describe, expect, it } from "vitest";

import { seededRandom } from "../../test/seeded-random.ts";
import { systemClock } from "../config/clock.ts";
import { Deadline } from "../http/deadline.ts";
import { RateLimiter } from "../http/rate-limiter.ts";
import { nextPollDelay, PollSchedule } from "./poll-schedule.ts";

const start = 1_000_000;
/** Median of the run times before the first try-on of a client has ended, and their usual spread. */
const median = 12_000;
const spread = 0.557;

/** Creates the schedule of a client that has sent nothing, on a clock that the test sets. */
function createSchedule() {
  const time = { now: start };
  const config = { clock: { ...systemClock, monotonic: () => time.now }, random: () => 0.5 };
  const rateLimiter = new RateLimiter(config.clock, config.random);
  const schedule = new PollSchedule(config, rateLimiter);
  return {
    schedule,
    rateLimiter,
    advance: (delay: number): void => {
      time.now += delay;
    },
    /** Returns the delay before the first poll of a job. */
    firstDelay: (kind: string): number =>
      schedule.dueAt({ id: "job_1", kind, startedAt: time.now }, 600_000) - time.now,
  };
}

describe("nextPollDelay", () => {
  const first = 0.59 * median;

  it.each([
    { age: 0, chance: 0, delay: 0.9 * first },
    { age: 0, delay: first },
    { age: 0, chance: 1, delay: 1.1 * first },
    { age: 2_000, delay: first - 2_000 },
    { age: 0.799 * first, delay: 0.201 * first },
    { age: 0.8 * first, delay: 15 * Math.sqrt(median) },
    { age: 600, of: 1_000, delay: 500 },
    { age: 60_000, delay: 3_600 },
    { age: 3_600_000, delay: 8_000 },
  ])("is $delay ms: %o", ({ age, chance = 0.5, of = median, delay }) => {
    expect(nextPollDelay(age, of, () => chance)).toBeCloseTo(delay);
  });

  it.each([
    { deviations: -0.9, hazard: 0.3261 },
    { deviations: 0, hazard: 0.7979 },
    { deviations: 1, hazard: 1.5251 },
  ])("has a cost near the lowest at $deviations deviations", ({ deviations, hazard }) => {
    // With an end at the rate r, delays d cost r·d/2 of waiting, and 1/d polls of 165 ms each.
    const age = median * Math.exp(deviations * spread);
    const best = Math.sqrt((2 * 165 * spread * age) / hazard);
    const ratio = nextPollDelay(age, median, () => 0.5) / best;
    expect((ratio + 1 / ratio) / 2).toBeLessThan(1.03);
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

it.each([
  { scale: 1, polls: 6, delay: 1_120 },
  { scale: 3, polls: 9, delay: 2_700 },
  { scale: 1 / 3, polls: 6, delay: 700 },
  { scale: 1 / 8, polls: 6, delay: 500 },
])(
  "try-ons with $scale times the usual run time take up to $polls polls, and their end is detected after up to $delay ms",
  ({ scale, polls, delay }) => {
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
  },
);

describe("run times", () => {
  it.each([
    { learned: [] },
    { learned: [undefined, null, Number.NaN, 0] },
    { kind: "test", learned: [], median: 2_000 },
    { kind: "4K", learned: [40_000] },
    { learned: [40_000], median: 12_000 * (40 / 12) ** 0.15 },
    { learned: Array.from({ length: 50 }, () => 4_000), median: 4_000 },
    { learned: [20], median: 12_000 * (0.3 / 12) ** 0.15 },
    { learned: [3_600_000], median: 12_000 * (120 / 12) ** 0.15 },
  ])(
    "have the median $median ms after %o",
    ({ kind = "1K", learned, median: expected = median }) => {
      const { schedule, firstDelay } = createSchedule();
      for (const runTime of learned) schedule.learn(kind === "4K" ? "1K" : kind, runTime);
      expect(firstDelay(kind) / 0.59 / expected).toBeCloseTo(1);
    },
  );

  it("follow a service that becomes slower", () => {
    const { schedule, firstDelay } = createSchedule();
    for (let time = 0; time < 500; time += 1) schedule.learn("1K", 5_000);
    for (let time = 0; time < 10; time += 1) schedule.learn("1K", 30_000);
    expect(firstDelay("1K")).toBeGreaterThan(0.59 * 20_000);
  });
});

describe("the time per poll", () => {
  it.each([
    { perMinute: 0.5 * 60 },
    { limit: 100, perMinute: 50 },
    { limit: 100, sent: 40, perMinute: 0.5 * 60 },
    { limit: 100, sent: 90, perMinute: 18 },
    { limit: 100, sent: 100, perMinute: 18 },
  ])("allows $perMinute polls a minute: %o", async ({ limit, sent = 0, perMinute }) => {
    const { schedule, rateLimiter } = createSchedule();
    if (limit) rateLimiter.limit = limit;
    const deadline = new Deadline(systemClock, 1_000);
    for (let request = 0; request < sent; request += 1) await rateLimiter.acquire("read", deadline);
    expect(60_000 / schedule.interval()).toBeCloseTo(perMinute);
  });

  it("delays the next poll after each one", () => {
    const { schedule, advance } = createSchedule();
    const delay = schedule.interval();
    for (let poll = 0; poll < 20; poll += 1) schedule.countPoll();
    expect(schedule.opensAt).toBeCloseTo(start + 20 * delay);
    advance(60_000);
    schedule.countPoll();
    expect(schedule.opensAt).toBeCloseTo(start + 60_000 + delay);
  });
});
