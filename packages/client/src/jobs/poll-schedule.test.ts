import { describe, expect, it } from "vitest";

import { seededRandom } from "../../test/seeded-random.ts";
import { nextPollDelay } from "./poll-schedule.ts";
import { RunTimes } from "./run-times.ts";

/** Expected run time before the first try-on of a client has ended. */
const usual = { median: 12_000, spread: 0.557 };

describe("nextPollDelay", () => {
  it("is first when about one of six has ended, give or take a tenth", () => {
    const first = nextPollDelay(0, usual, () => 0.5);
    expect(first).toBeCloseTo(12_000 * Math.exp(-0.95 * 0.557), 0);
    expect(nextPollDelay(0, usual, () => 0)).toBeCloseTo(first * 0.9);
    expect(nextPollDelay(0, usual, () => 1)).toBeCloseTo(first * 1.1);
    expect(nextPollDelay(2_000, usual, () => 0.5)).toBeCloseTo(first - 2_000);
  });

  it.each([0.8, 0.9])("does not come at once after a first poll at %d of its time", (share) => {
    const age = share * nextPollDelay(0, usual, () => 0.5);
    for (const chance of [0, 0.5, 1]) {
      expect(nextPollDelay(age, usual, () => chance)).toBeGreaterThan(1_500);
    }
  });

  it.each([
    { deviations: -1, hazard: 0.2876 },
    { deviations: 0, hazard: 0.7979 },
    { deviations: 1, hazard: 1.5251 },
    { deviations: 2, hazard: 2.3732 },
  ])("has the lowest cost at $deviations deviations, to within 3 %", ({ deviations, hazard }) => {
    const spread = 0.557;
    const age = 2_000 * Math.exp(deviations * spread);
    const best = Math.sqrt((2 * 165 * spread * age) / hazard);
    const delay = nextPollDelay(age, { median: 2_000, spread }, () => 0.5);
    expect(Math.abs(delay / best - 1)).toBeLessThan(0.03);
  });

  it("is at most 8 s", () => {
    expect(nextPollDelay(3_600_000, usual, () => 0.5)).toBe(8_000);
  });
});

describe.each([
  { scale: 1, polls: 6, delay: 1_200 },
  { scale: 3, polls: 9, delay: 2_700 },
  { scale: 1 / 3, polls: 6, delay: 700 },
  { scale: 1 / 8, polls: 6, delay: 500 },
])("try-ons with $scale times the usual run time", ({ scale, polls, delay }) => {
  it(`take up to ${polls} polls, and their end is detected after up to ${delay} ms, on average`, () => {
    const random = seededRandom(1);
    const runTimes = new RunTimes();
    const count = 2_000;
    let sum = 0;
    let late = 0;
    for (let one = 0; one < count; one += 1) {
      const bell = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      const duration = scale * usual.median * Math.exp(usual.spread * bell);
      let age = 0;
      for (; age < duration; sum += 1) age += nextPollDelay(age, runTimes.of(["1K"]), random);
      late += age - duration;
      runTimes.learn(["1K"], duration);
    }
    expect(sum / count).toBeLessThan(polls);
    expect(late / count).toBeLessThan(delay);
  });
});

describe("run times", () => {
  it("are learned for each kind, and for all kinds together", () => {
    const runTimes = new RunTimes();
    for (let time = 0; time < 200; time += 1) runTimes.learn(["4K", "20"], 40_000);
    for (const kinds of [["4K"], ["20"], ["2K"], []]) {
      expect(runTimes.of(kinds).median).toBeGreaterThan(35_000);
    }
    for (let time = 0; time < 200; time += 1) runTimes.learn(["1K", "8"], 4_000);
    expect(runTimes.of(["1K"]).median).toBeLessThan(5_000);
    expect(runTimes.of(["4K"]).median).toBeGreaterThan(35_000);
  });

  it("follow a service that becomes slower", () => {
    const runTimes = new RunTimes();
    for (let time = 0; time < 500; time += 1) runTimes.learn(["1K"], 5_000);
    for (let time = 0; time < 60; time += 1) runTimes.learn(["1K"], 30_000);
    expect(runTimes.of(["1K"]).median).toBeGreaterThan(20_000);
  });

  it("are nearly the same after a try-on that took an hour", () => {
    const runTimes = new RunTimes();
    runTimes.learn(["1K"], 3_600_000);
    const first = nextPollDelay(0, runTimes.of(["1K"]), () => 0.5);
    expect(first).toBeLessThan(40_000);
    for (let time = 0; time < 3; time += 1) runTimes.learn(["1K"], 12_000);
    expect(nextPollDelay(0, runTimes.of(["1K"]), () => 0.5)).toBeLessThan(12_000);
  });

  it.each([Number.NaN, -1, 0, 20, Number.POSITIVE_INFINITY])(
    "are not learned from %d ms",
    (time) => {
      const runTimes = new RunTimes();
      runTimes.learn([], time);
      expect(runTimes.of([])).toEqual(usual);
    },
  );

  it("are kept for a limited number of kinds", () => {
    const runTimes = new RunTimes();
    runTimes.learn(["1K"], 5_000);
    for (let kind = 0; kind < 100; kind += 1) runTimes.learn([`${kind}`], 50_000);
    expect(runTimes.of(["99"])).toEqual(runTimes.of([]));
    expect(runTimes.of(["1K"]).median).toBeLessThan(8_000);
  });

  it("are short for test keys before the first try-on has ended", () => {
    expect(new RunTimes().of(["test", "1K"]).median).toBe(2_000);
  });
});
