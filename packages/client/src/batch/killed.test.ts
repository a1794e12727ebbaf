import { assert, asyncProperty, sample } from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { killedBatches, runKilled } from "../../test/killed-batch.ts";

it("submits each item once if a killed batch runs again in time", async () => {
  await assert(
    asyncProperty(killedBatches, async (killedBatch) => {
      const { violations } = await runKilled(killedBatch);
      expect(violations).toEqual([]);
    }),
    { numRuns: cases(200) },
  );
});

it("detects a journal that loses its last entry", async () => {
  const broken = new Set<string>();
  for (const killedBatch of sample(killedBatches, { numRuns: 400, seed: 11 })) {
    for (const name of (await runKilled(killedBatch, "late")).violations) broken.add(name);
    if (broken.has("one job of each at most")) break;
  }
  expect([...broken]).toContain("one job of each at most");
});
