import { cases } from "@tryon/test-kit/cases";
import { expect, test } from "vitest";

import goals from "../../goals.json" with { type: "json" };
import { median, type Sample } from "../statistics.ts";
import { manyJobs, peerStrategies, polling, simulate, simulation } from "./simulation.ts";
import { sync, webhook } from "./simulation.ts";

// Virtual times are the same on every machine; the real time is not.
const options = { timeout: 600_000 };

test("the client reaches the goals without a 429, and the peers do not", options, async () => {
  const samples: Sample[] = [];
  // The last sample of each seed has polls.
  let seeds = 0;
  for await (const sample of simulation.measure()) {
    samples.push(sample);
    if ("polls" in sample && (seeds += 1) === cases(5)) break;
  }
  const values = (group: string, row: string) => samples.flatMap((it) => it[group]?.[row] ?? []);
  const rows = samples.flatMap((sample) => Object.keys(sample["delay"] ?? {}));
  for (const { group: key, row, max = 0 } of goals.filter((it) => it.group.startsWith("sim"))) {
    const group = key.replace("simulation.", "");
    // The rows without rate limit headers, too.
    for (const name of rows.filter((it) => it.startsWith(row))) {
      expect(median(values(group, name)), `${group} of ${name}`).toBeLessThanOrEqual(max);
      expect(Math.max(0, ...values("rateLimited", name)), name).toBe(0);
    }
  }
  for (const { name } of peerStrategies) {
    expect(values("requests", name)[0], name).toBeGreaterThan(3);
    expect(values("rateLimited", name)[0], name).toBeGreaterThanOrEqual(manyJobs.jobs);
  }
  // One request per job, and one for the limit.
  expect(median(values("requests", webhook.name))).toBeCloseTo(1 + 1 / manyJobs.jobs);
  expect(median(values("delay", webhook.name))).toBeLessThan(0.1);
  expect(Math.max(...values("rateLimited", webhook.name))).toBe(0);
});

test.each([sync, polling])("$name gets no 429 from the alternate profile", options, async (it) => {
  const strategy = { ...it, service: { profile: "alternate" } } as const;
  expect(await simulate(strategy, manyJobs, 1)).toMatchObject({ rateLimited: 0 });
});

test.each([polling, sync, webhook])("$name: the seed determines the result", async (strategy) => {
  const load = { jobs: 8, limit: 10 };
  const first = await simulate(strategy, load, 1);
  expect(await simulate(strategy, load, 1)).toEqual(first);
  expect(await simulate(strategy, load, 2)).not.toEqual(first);
});

const peer = (name: string) => peerStrategies.find((it) => it.name.startsWith(name)) ?? sync;

// One request submits, and the others poll; fal then requests the result.
test.each([
  ["fal", 1 + 7 + 1],
  ["replicate", 1 + 7],
  ["fashn", 1 + 4],
])("%s makes %d requests for a job of 3.3 s", async (name, requests) => {
  const figures = await simulate(peer(name), { jobs: 1, limit: 60 }, 1, [3_300]);
  expect(figures).toMatchObject({ requests, rateLimited: 0 });
  // The submission alone needs one second.
  expect(figures.makespan).toBeGreaterThan(3.3 + figures.delay);
  expect(figures.delay).toBeGreaterThan(0);
});

test("the caller repeats a call that its client abandoned after six requests", async () => {
  const figures = await simulate(peer("replicate"), { jobs: 1, limit: 3 }, 1, [3_300]);
  expect(figures.rateLimited % 6).toBe(0);
  expect(figures.rateLimited).toBeGreaterThanOrEqual(60);
  // The submission alone needs 20 seconds.
  expect(figures.makespan).toBeGreaterThan(3);
});
