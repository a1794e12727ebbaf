import { describe, expect, test } from "vitest";

import { pollFor, pollingClients } from "./fixed-polling.ts";
import { Scene } from "./scene.ts";

const { fal, replicate, fashn } = pollingClients;
const asking = (seconds: string): Headers => new Headers({ "retry-after": seconds });

/** The pauses after one 429 after the other, in milliseconds, until the client gives up. */
function pausesOf(pause: typeof fal.afterLook, headers = asking("30"), chance = 0.5): number[] {
  const pauses: number[] = [];
  for (;;) {
    const next = pause(pauses.length, headers, () => chance);
    if (next === undefined) return pauses;
    pauses.push(next);
  }
}

describe("after a 429", () => {
  test("fal pauses longer each time, whatever it is asked", () => {
    expect(pausesOf(fal.afterSubmission)).toEqual([1_000, 2_000, 4_000]);
    expect(pausesOf(fal.afterLook)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(pausesOf(fal.afterSubmission, asking("1"), 0)).toEqual([750, 1_500, 3_000]);
  });

  test("replicate does not pause at all", () => {
    expect(pausesOf(replicate.afterLook)).toEqual([0, 0, 0, 0, 0]);
  });

  test("fashn pauses as asked, but for a minute or more", () => {
    expect(pausesOf(fashn.afterLook)).toEqual([30_000, 30_000, 30_000]);
    expect(pausesOf(fashn.afterLook, asking("60"), 0)).toEqual([2_000, 4_000, 6_000]);
    expect(pausesOf(fashn.afterLook, new Headers(), 0)).toEqual([2_000, 4_000, 6_000]);
  });
});

test.each([
  // Looks begin at once; each has to be 0.5 or 1 s and two ways of the network after the one before.
  ["fal", fal, 1 + 7 + 1],
  ["replicate", replicate, 1 + 7],
  ["fashn", fashn, 1 + 4],
] as const)(
  "%s notices the end of a job after %s s with so many requests",
  async (_name, habits, requests) => {
    const scene = new Scene({ seed: 1, limit: 1_000 });
    await scene.run(() => pollFor({ index: 0, runTime: 3_300 }, habits, scene));
    const tally = await scene.close(1);
    expect(tally).toMatchObject({ requestsPerJob: requests, refusals: 0, givenUp: 0, credits: 8 });
  },
);

test("what a client gives up its caller takes up again", async () => {
  const scene = new Scene({ seed: 1, limit: 3 });
  await scene.run(() => pollFor({ index: 0, runTime: 3_300 }, replicate, scene));
  const { makespan, refusals, givenUp, credits } = await scene.close(1);
  expect(refusals).toBe(givenUp * 6);
  expect(givenUp).toBeGreaterThanOrEqual(10);
  expect(makespan).toBeGreaterThan(60_000);
  expect(credits).toBe(8);
});
