import { expect, test } from "vitest";

import { trial } from "./trial.ts";
import { ourWays, pollingWays } from "./ways.ts";

test("polled each by itself, they meet the limit", async () => {
  for (const way of pollingWays) {
    const { refusals, requestsPerJob, credits } = await trial(way, { jobs: 6, limit: 10 }, 1);
    expect(refusals, way.name).toBeGreaterThan(5);
    expect(requestsPerJob, way.name).toBeGreaterThan(3);
    expect(credits).toBe(48);
  }
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
