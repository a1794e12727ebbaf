import { describe, expect, test } from "vitest";

import { median } from "../statistics.ts";
import {
  manyJobs,
  oneAtATime,
  peerStrategies,
  polling,
  seeds,
  simulate,
  singleJobs,
  sync,
  webhook,
  withoutHeaders,
} from "./simulation.ts";

// Virtual times are the same on every machine; the real time is not.
const timeout = 600_000;
type Arguments = Parameters<typeof simulate>;

async function simulateAll(strategy: Arguments[0], load: Arguments[1]) {
  const runs = [];
  for (const seed of seeds) runs.push(await simulate(strategy, load, seed));
  return runs;
}

describe("1,000 jobs under 60 requests a minute", { timeout }, () => {
  test.each([
    ...[sync, ...withoutHeaders(sync)].map((it) => ({ ...it, requests: 1.1, times: 1.1 })),
    ...[polling, ...withoutHeaders(polling)].map((it) => ({ ...it, requests: 1.3, times: 1.35 })),
  ])(
    "$name: at most $requests requests per job, $times × the submissions, no 429",
    async ({ requests, times, ...strategy }) => {
      const runs = await simulateAll(strategy, manyJobs);
      expect(median(runs.map(({ requestsPerJob }) => requestsPerJob))).toBeLessThanOrEqual(
        requests,
      );
      expect(median(runs.map(({ makespanRatio }) => makespanRatio))).toBeLessThanOrEqual(times);
      for (const { rateLimited, credits } of runs) {
        expect({ rateLimited, credits }).toEqual({ rateLimited: 0, credits: 8_000 });
      }
    },
  );

  test.each([sync, polling])(
    "$name against the contrary profile: no 429, each job paid once",
    async (strategy) => {
      const contrary = { ...strategy, service: { profile: "contrary" } } as const;
      const { rateLimited, credits } = await simulate(contrary, manyJobs, 1);
      expect({ rateLimited, credits }).toEqual({ rateLimited: 0, credits: 8_000 });
    },
  );

  test("webhooks: one request per job", async () => {
    const { requestsPerJob, credits } = await simulate(webhook, manyJobs, 1);
    expect(requestsPerJob).toBeLessThan(1.01);
    expect(credits).toBe(8_000);
  });

  test.each(peerStrategies)(
    "$name: several requests and at least one 429 per job, each paid once",
    async (strategy) => {
      const counters = await simulate(strategy, { jobs: 200, limit: 60 }, 1);
      expect(counters.requestsPerJob).toBeGreaterThan(3);
      expect(counters.rateLimited).toBeGreaterThanOrEqual(200);
      expect(counters.credits).toBe(1_600);
    },
  );
});

test("one job at a time: mean delay within 1.2 s and at most 6 polls", { timeout }, async () => {
  const runs = await simulateAll(oneAtATime, singleJobs);
  expect(median(runs.map(({ meanDelay }) => meanDelay))).toBeLessThanOrEqual(1_200);
  expect(median(runs.map(({ requestsPerJob }) => requestsPerJob - 1))).toBeLessThanOrEqual(6);
});
