import { assert, asyncProperty } from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { killedBatches, runKilled } from "../../test/killed-batch.ts";

it("submits each item once and counts what the ledger charges, under any options of the service", async () => {
  await assert(
    asyncProperty(killedBatches, async (killedBatch) => {
      expect((await runKilled(killedBatch)).violations).toEqual([]);
    }),
    { numRuns: cases(200) },
  );
});
