import { describe, expect, test } from "vitest";

import {
  drawRunTimes,
  peerStrategies,
  polling,
  pollingClients,
  pollItem,
  seededRandom,
  simulate,
  SimulationEnvironment,
  sync,
  webhook,
  withoutHeaders,
} from "./simulation.ts";

const { fal, replicate, fashn } = pollingClients;
const load = { jobs: 60, limit: 20 };

describe("60 jobs under 20 requests a minute", () => {
  test.each([
    ...[sync, ...withoutHeaders(sync)].map((it) => ({ ...it, requests: 1.05, times: 1.25 })),
    ...[polling, ...withoutHeaders(polling)].map((it) => ({ ...it, requests: 1.6, times: 1.7 })),
  ])("$name: no 429, $requests requests per job", async ({ requests, times, ...strategy }) => {
    const { makespanRatio, requestsPerJob, ...figures } = await simulate(strategy, load, 1);
    expect(figures).toMatchObject({ rateLimited: 0, credits: 480 });
    expect(requestsPerJob).toBeLessThanOrEqual(requests);
    expect(makespanRatio).toBeLessThanOrEqual(times);
  });

  test("a batch against the contrary profile: no 429, each job paid once", async () => {
    const strategy = { ...polling, service: { profile: "contrary" } } as const;
    expect(await simulate(strategy, load, 1)).toMatchObject({ rateLimited: 0, credits: 480 });
  });

  test("webhooks: one request per job, and one for the limit", async () => {
    const { requestsPerJob, meanDelay, ...figures } = await simulate(webhook, load, 1);
    expect(requestsPerJob).toBeCloseTo(1 + 1 / load.jobs);
    expect(meanDelay).toBeLessThan(100);
    expect(figures).toMatchObject({ rateLimited: 0, credits: 480 });
  });
});

test.each(peerStrategies)("$name: reaches the limit", async (strategy) => {
  const counters = await simulate(strategy, { jobs: 6, limit: 10 }, 1);
  expect(counters.rateLimited).toBeGreaterThan(5);
  expect(counters.requestsPerJob).toBeGreaterThan(3);
  expect(counters.credits).toBe(48);
});

test.each([polling, sync, webhook])("$name: the seed determines the result", async (strategy) => {
  const small = { jobs: 8, limit: 10 };
  const first = await simulate(strategy, small, 1);
  expect(await simulate(strategy, small, 1)).toEqual(first);
  expect(await simulate(strategy, small, 2)).not.toEqual(first);
});

/** Delays in milliseconds until the client abandons the call. */
function delaysOf(backoff: typeof fal.pollBackoff, retryAfter?: string, random = 0.5): number[] {
  const delays: number[] = [];
  const headers = new Headers(retryAfter === undefined ? {} : { "retry-after": retryAfter });
  for (;;) {
    const next = backoff(delays.length, headers, () => random);
    if (next === undefined) return delays;
    delays.push(next);
  }
}

describe("delays after a 429", () => {
  test("fal doubles them and ignores Retry-After", () => {
    expect(delaysOf(fal.submitBackoff, "30")).toEqual([1_000, 2_000, 4_000]);
    expect(delaysOf(fal.pollBackoff, "30")).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(delaysOf(fal.submitBackoff, "1", 0)).toEqual([750, 1_500, 3_000]);
  });

  test("replicate retries immediately", () => {
    expect(delaysOf(replicate.pollBackoff, "30")).toEqual([0, 0, 0, 0, 0]);
  });

  test("fashn obeys a Retry-After below one minute", () => {
    expect(delaysOf(fashn.pollBackoff, "30")).toEqual([30_000, 30_000, 30_000]);
    expect(delaysOf(fashn.pollBackoff, "60", 0)).toEqual([2_000, 4_000, 6_000]);
    expect(delaysOf(fashn.pollBackoff, undefined, 0)).toEqual([2_000, 4_000, 6_000]);
  });
});

test.each([
  { name: "fal", client: fal, requestsPerJob: 1 + 7 + 1 },
  { name: "replicate", client: replicate, requestsPerJob: 1 + 7 },
  { name: "fashn", client: fashn, requestsPerJob: 1 + 4 },
])("$name makes $requestsPerJob requests for 3.3 s", async ({ client, requestsPerJob }) => {
  const environment = new SimulationEnvironment(1, 1_000);
  await environment.run(() => pollItem(environment, { index: 0, runTime: 3_300 }, client));
  const figures = await environment.close(1);
  expect(figures).toMatchObject({ requestsPerJob, rateLimited: 0, abandoned: 0, credits: 8 });
  expect(figures.makespan).toBeGreaterThan(3_300 + figures.meanDelay);
  expect(figures.meanDelay).toBeGreaterThan(0);
});

test("the caller repeats a call that its client abandoned", async () => {
  const environment = new SimulationEnvironment(1, 3);
  await environment.run(() => pollItem(environment, { index: 0, runTime: 3_300 }, replicate));
  const { makespan, rateLimited, abandoned, credits } = await environment.close(1);
  expect(rateLimited).toBe(abandoned * 6);
  expect(abandoned).toBeGreaterThanOrEqual(10);
  expect(makespan).toBeGreaterThan(60_000);
  expect(credits).toBe(8);
});

test.each([1, 2, 3])("run times have the requested median and p95 with seed %d", (seed) => {
  const times = drawRunTimes(20_000, seededRandom(seed));
  const share = (max: number) => times.filter((time) => time <= max).length / times.length;
  expect(share(12_000)).toBeCloseTo(0.5, 1);
  expect(share(30_000)).toBeCloseTo(0.95, 1.7);
  // The distribution is symmetric on a logarithmic scale.
  expect(share(12_000 / 2.5)).toBeCloseTo(0.05, 1.7);
});
