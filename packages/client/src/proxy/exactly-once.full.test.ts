import { assert, asyncProperty } from "fast-check";
import { expect, it } from "vitest";

import { trials, undergoThroughProxy } from "../testing/proxy-ordeal.ts";

it("makes one job at most and loses none in 500 try-ons, whatever fails before and behind the proxy", async () => {
  await assert(
    asyncProperty(trials, async (trial) => {
      expect(await undergoThroughProxy(trial)).toEqual([]);
    }),
    { numRuns: 500, seed: 17 },
  );
}, 300_000);
