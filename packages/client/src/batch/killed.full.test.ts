import { assert, asyncProperty } from "fast-check";
import { expect, it } from "vitest";

import { killedBatches, runKilled } from "../testing/killed-batch.ts";

it("makes each item of 2,000 batches at most once wherever they are killed, and each once when run again in time", async () => {
  const counts = { batches: 0, kills: 0, unknown: 0 };
  await assert(
    asyncProperty(killedBatches, async (killedBatch) => {
      const { violations, killed, unknown } = await runKilled(killedBatch);
      expect(violations).toEqual([]);
      counts.batches += 1;
      counts.kills += killed;
      counts.unknown += unknown;
    }),
    { numRuns: 2_000, seed: 1 },
  );
  // The figures are what this test is run for.
  // oxlint-disable-next-line no-console
  console.log(counts);
  expect(counts.batches).toBe(2_000);
  expect(counts.kills).toBeGreaterThan(1_000);
  expect(counts.unknown).toBeGreaterThan(0);
}, 900_000);
