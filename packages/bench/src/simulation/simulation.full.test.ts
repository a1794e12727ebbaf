import { describe, expect, test } from "vitest";

import { spreadOf } from "../figures.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { manyJobs, seeds, singleJobs } from "./simulation.ts";
import type { Tally } from "./tally.ts";
import { leastMakespan, trial, type Load } from "./trial.ts";
import { ourWays, ourWaysUntold, pollingWays, type Way } from "./ways.ts";

// Virtual times are the same on any machine; how long it takes to get through them is not.
const patience = 600_000;
const { watched, held, webhooks } = ourWays;

async function trials(way: Pick<Way, "work" | "service">, load: Load): Promise<readonly Tally[]> {
  const tallies = [];
  for (const seed of seeds) tallies.push(await trial(way, load, seed));
  return tallies;
}

function median(tallies: readonly Tally[], figure: (tally: Tally) => number): number {
  return spreadOf(tallies.map(figure)).median;
}

describe("1,000 jobs at 60 requests a minute", () => {
  test.each([
    ...[held, ...ourWaysUntold]
      .filter(({ hold }) => hold !== false)
      .map((way) => ({ ...way, requests: 1.1, times: 1.1 })),
    ...[watched, ...ourWaysUntold]
      .filter(({ hold }) => hold === false)
      .map((way) => ({ ...way, requests: 1.3, times: 1.35 })),
  ])(
    "$name: at most $requests requests a job, $times times the submissions alone, and no 429",
    async ({ requests, times, ...way }) => {
      const tallies = await trials(way, manyJobs);
      expect(median(tallies, ({ requestsPerJob }) => requestsPerJob)).toBeLessThanOrEqual(requests);
      const makespan = median(tallies, (tally) => tally.makespan);
      expect(makespan / leastMakespan(manyJobs)).toBeLessThanOrEqual(times);
      for (const { refusals, credits } of tallies) {
        expect({ refusals, credits }).toEqual({ refusals: 0, credits: 8_000 });
      }
    },
    patience,
  );

  test.each([held, watched])(
    "$name, where every open point of the service is the other way: no 429, and each is paid once",
    async (way) => {
      const tally = await trial({ ...way, service: { profile: "contrary" } }, manyJobs, 1);
      expect(tally.refusals).toBe(0);
      expect(tally.credits).toBe(8_000);
    },
    patience,
  );

  test(
    "by webhook: a request for each",
    async () => {
      const tally = await trial(webhooks, manyJobs, 1);
      expect(tally.requestsPerJob).toBeLessThan(1.01);
      expect(tally.credits).toBe(8_000);
    },
    patience,
  );

  test.each(pollingWays)(
    "$name: several requests and at least one 429 for each, and every one is paid once",
    async (way) => {
      const tally = await trial(way, { jobs: 200, limit: 60 }, 1);
      expect(tally.requestsPerJob).toBeGreaterThan(3);
      expect(tally.refusals).toBeGreaterThanOrEqual(200);
      expect(tally.credits).toBe(1_600);
    },
    patience,
  );
});

test(
  "one watched job: its end is noticed within 1.2 s on average, the way of the answer included, by 6 looks at most",
  async () => {
    const tallies = await trials({ work: oneAtATime }, singleJobs);
    expect(median(tallies, ({ meanDelay }) => meanDelay)).toBeLessThanOrEqual(1_200);
    expect(median(tallies, ({ requestsPerJob }) => requestsPerJob - 1)).toBeLessThanOrEqual(6);
  },
  patience,
);
