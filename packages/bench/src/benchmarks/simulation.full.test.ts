import { describe, expect, test } from "vitest";

import {
  peerStrategies,
  polling,
  sync,
  webhook,
  oneAtATime,
  withoutHeaders,
  type Strategy,
} from "../candidates/strategies.ts";
import { median } from "../statistics.ts";
import { manyJobs, seeds, simulate, singleJobs } from "./simulation.ts";

// Virtual times are the same on every machine; the real time is not.
const timeout = 600_000;

async function simulateAll(strategy: Pick<Strategy, "work" | "service">, load: typeof manyJobs) {
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
      expect(median(runs.map((run) => run.requestsPerJob))).toBeLessThanOrEqual(requests);
      expect(median(runs.map((run) => run.makespanRatio))).toBeLessThanOrEqual(times);
      for (const run of runs) expect(run).toMatchObject({ rateLimited: 0, credits: 8_000 });
    },
  );

  test.each([sync, polling])("$name against the contrary profile: no 429", async ({ work }) => {
    const figures = await simulate({ work, service: { profile: "contrary" } }, manyJobs, 1);
    expect(figures).toMatchObject({ rateLimited: 0, credits: 8_000 });
  });

  test("webhooks: one request per job, and one for the limit", async () => {
    const { requestsPerJob, meanDelay, ...figures } = await simulate(webhook, manyJobs, 1);
    expect(requestsPerJob).toBeCloseTo(1 + 1 / manyJobs.jobs);
    expect(meanDelay).toBeLessThan(100);
    expect(figures).toMatchObject({ rateLimited: 0, credits: 8_000 });
  });

  test.each(peerStrategies)("$name: several requests and a 429 per job", async (strategy) => {
    const figures = await simulate(strategy, { jobs: 200, limit: 60 }, 1);
    expect(figures.requestsPerJob).toBeGreaterThan(3);
    expect(figures.rateLimited).toBeGreaterThanOrEqual(200);
    expect(figures.credits).toBe(1_600);
  });
});

test("one job at a time: mean delay within 1.2 s and at most 6 polls", { timeout }, async () => {
  const runs = await simulateAll(oneAtATime, singleJobs);
  expect(median(runs.map(({ meanDelay }) => meanDelay))).toBeLessThanOrEqual(1_200);
  expect(median(runs.map(({ requestsPerJob }) => requestsPerJob - 1))).toBeLessThanOrEqual(6);
});

test.each([polling, sync, webhook])("$name: the seed determines the result", async (strategy) => {
  const load = { jobs: 8, limit: 10 };
  const first = await simulate(strategy, load, 1);
  expect(await simulate(strategy, load, 1)).toEqual(first);
  expect(await simulate(strategy, load, 2)).not.toEqual(first);
});

const oneJob = { jobs: 1, runTimes: [3_300] };
const peerNamed = (name: string) => peerStrategies.find((it) => it.name.startsWith(name)) ?? sync;

// One request submits, and the others poll; fal then requests the result.
test.each([
  ["fal", 1 + 7 + 1],
  ["replicate", 1 + 7],
  ["fashn", 1 + 4],
])("%s makes %d requests for a job of 3.3 s", async (peer, requestsPerJob) => {
  const figures = await simulate(peerNamed(peer), { ...oneJob, limit: 99 }, 1);
  expect(figures).toMatchObject({ requestsPerJob, rateLimited: 0, credits: 8 });
  expect(figures.makespan).toBeGreaterThan(3_300 + figures.meanDelay);
  expect(figures.meanDelay).toBeGreaterThan(0);
});

test("the caller repeats a call that its client abandoned", async () => {
  const figures = await simulate(peerNamed("replicate"), { ...oneJob, limit: 3 }, 1);
  // The client abandons a call after six requests.
  expect(figures.rateLimited % 6).toBe(0);
  expect(figures.rateLimited).toBeGreaterThanOrEqual(60);
  expect(figures.makespan).toBeGreaterThan(60_000);
  expect(figures.credits).toBe(8);
});
