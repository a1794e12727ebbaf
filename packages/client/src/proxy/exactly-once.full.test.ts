import { assert, asyncProperty } from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { pageClients, proxyScenarios, runProxyScenario } from "../../test/proxy-scenario.ts";

it.each(pageClients)(
  "makes at most one job and loses none in many try-ons with %s, with failures on both sides of the proxy",
  async (client) => {
    const isSafe = asyncProperty(proxyScenarios, async (scenario) => {
      expect(await runProxyScenario(scenario, undefined, client)).toEqual([]);
    });
    await assert(isSafe, { numRuns: cases(1_500) });
  },
  300_000,
);
