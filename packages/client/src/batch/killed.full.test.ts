import { assert, asyncProperty, sample } from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { killedBatches, runKilled } from "../../test/killed-batch.ts";

const count = cases(2_000);

it("submits each item of many killed batches once if they run again in time", async () => {
  const counts = { batches: 0, kills: 0, unknown: 0 };
  await assert(
    asyncProperty(killedBatches, async (killedBatch) => {
      const { violations, killed, unknown } = await runKilled(killedBatch);
      expect(violations).toEqual([]);
      counts.batches += 1;
      counts.kills += killed;
      counts.unknown += unknown;
    }),
    { numRuns: count },
  );
  // The figures are a purpose of this test.
  // oxlint-disable-next-line no-console
  console.log(counts);
  expect(counts.batches).toBe(count);
  expect(counts.kills).toBeGreaterThan(count / 2);
  expect(counts.unknown).toBeGreaterThan(0);
}, 900_000);

it("detects a journal that loses its last entry", async () => {
  const broken = new Set<string>();
  for (const killedBatch of sample(killedBatches, { numRuns: 400, seed: 11 })) {
    for (const name of (await runKilled(killedBatch, "late")).violations) broken.add(name);
    if (broken.has("one job of each attempt at most")) break;
  }
  expect([...broken]).toContain("one job of each attempt at most");
});
