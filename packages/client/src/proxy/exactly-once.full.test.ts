import { assert, asyncProperty } from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { trials, undergoThroughProxy } from "../testing/proxy-ordeal.ts";

it("makes one job at most and loses none in many try-ons, whatever fails before and behind the proxy", async () => {
  await assert(
    asyncProperty(trials, async (trial) => {
      expect(await undergoThroughProxy(trial)).toEqual([]);
    }),
    { numRuns: cases(1_500) },
  );
}, 300_000);
