import { optionTable } from "@tryon/mock";
import { cases, seed } from "@tryon/test-kit/cases";
import { assert, asyncProperty } from "fast-check";
import { expect, it } from "vitest";

import {
  faultScenarios,
  networkFaultNames,
  runPageScenario,
  runScenario,
} from "../../test/fault-scenario.ts";

it("creates at most one job and one charge per try-on, and loses no job, with every fault under every option and clock", async () => {
  const count = cases(10_000);
  const combinations = new Map<string, number>();
  const codes = new Map<string, number>();
  const changes = new Map<string, number>();
  let several = 0;
  await assert(
    asyncProperty(faultScenarios, async (scenario) => {
      const { violations, applied, code } = await runScenario(scenario);
      expect({ violations, code }).toEqual({ violations: [], code });
      if (applied.length >= 2) several += 1;
      increment(codes, code);
      for (const { change } of scenario.clock) increment(changes, change);
      for (const fault of new Set(applied)) {
        for (const [id, value] of Object.entries(scenario.options)) {
          increment(combinations, `${fault} × ${id}=${value}`);
        }
      }
    }),
    { seed, numRuns: count },
  );
  const applied = networkFaultNames.map((fault) => {
    const counts = optionTable.map(({ id, values }) =>
      values.map((value) => combinations.get(`${fault} × ${id}=${value}`) ?? 0),
    );
    const least = Math.min(...counts.flat());
    expect(least, `${fault} with an option value`).toBeGreaterThanOrEqual(count / 250);
    const total = counts[0]?.reduce((sum, number) => sum + number) ?? 0;
    return { fault, total, least };
  });
  expect(several).toBeGreaterThanOrEqual(count / 2);
  expect(Math.min(...changes.values()), "changes of a clock").toBeGreaterThanOrEqual(count / 20);
  // The counts are part of the result of this test.
  // oxlint-disable-next-line no-console
  console.log({ count, seed, several, codes, changes, applied });
}, 1_200_000);

it("does so with the client for pages", async () => {
  await assert(
    asyncProperty(faultScenarios, async (scenario) => {
      const { violations, code } = await runPageScenario(scenario);
      expect({ violations, code }).toEqual({ violations: [], code });
    }),
    { seed, numRuns: cases(3_000) },
  );
}, 600_000);

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
