import { describe, expect, test } from "vitest";

import { leastMakespan, trial } from "./trial.ts";
import { ourWays, ourWaysUntold, pollingWays } from "./ways.ts";

const load = { jobs: 60, limit: 20 };
const least = leastMakespan(load);
const { watched, held, webhooks } = ourWays;
const untold = ourWaysUntold.filter(({ name }) => name.endsWith("no headers of the limit"));
/** A service that is another one in every open point. */
const contrary = { profile: "contrary" } as const;

describe("few jobs under a low limit", () => {
  test.each([held, ...untold].filter(({ hold }) => hold !== false))(
    "$name: no 429, hardly more than a request for each",
    async (way) => {
      const { makespan, requestsPerJob, refusals, credits } = await trial(way, load, 1);
      expect({ refusals, credits }).toEqual({ refusals: 0, credits: 480 });
      expect(requestsPerJob).toBeLessThanOrEqual(1.05);
      expect(makespan / least).toBeLessThanOrEqual(1.25);
    },
  );

  test.each([watched, ...untold].filter(({ hold }) => hold === false))(
    "$name: no 429, few looks",
    async (way) => {
      const { makespan, requestsPerJob, refusals, credits } = await trial(way, load, 1);
      expect({ refusals, credits }).toEqual({ refusals: 0, credits: 480 });
      expect(requestsPerJob).toBeLessThanOrEqual(1.6);
      expect(makespan / least).toBeLessThanOrEqual(1.7);
    },
  );

  test("a batch, where every open point of the service is the other way: no 429, and each is paid once", async () => {
    const { refusals, credits } = await trial({ ...watched, service: contrary }, load, 1);
    expect({ refusals, credits }).toEqual({ refusals: 0, credits: 480 });
  });

  test("by webhook: a request for each, and one for the limit", async () => {
    const { requestsPerJob, refusals, meanDelay, credits } = await trial(webhooks, load, 1);
    expect(requestsPerJob).toBeCloseTo(1 + 1 / load.jobs);
    expect(meanDelay).toBeLessThan(100);
    expect({ refusals, credits }).toEqual({ refusals: 0, credits: 480 });
  });

  test("polled each by itself, they meet the limit", async () => {
    for (const way of pollingWays) {
      const { refusals, requestsPerJob, credits } = await trial(way, { jobs: 6, limit: 10 }, 1);
      expect(refusals, way.name).toBeGreaterThan(5);
      expect(requestsPerJob, way.name).toBeGreaterThan(3);
      expect(credits).toBe(48);
    }
  });
});

test.each(Object.values(ourWays))(
  "$name: the same seed comes out the same, another one not",
  async (way) => {
    const small = { jobs: 8, limit: 10 };
    const first = await trial(way, small, 1);
    expect(await trial(way, small, 1)).toEqual(first);
    expect(await trial(way, small, 2)).not.toEqual(first);
  },
);
