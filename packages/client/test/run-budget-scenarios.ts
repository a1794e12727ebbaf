import { assert, asyncProperty } from "fast-check";
import { expect } from "vitest";

import { spend, budgetScenarios } from "./budget-scenario.ts";

/** Lets many programs spend, the same ones each time, and says in a line what they were. */
export async function runBudgetScenarios(seed: number, count: number): Promise<string> {
  const sums = { refused: 0, charged: 0, refunded: 0, exact: 0 };
  await assert(
    asyncProperty(budgetScenarios, async (scenario) => {
      const { violations, exact, ...spent } = await spend(scenario);
      expect(violations).toEqual([]);
      sums.refused += spent.refused;
      sums.charged += spent.charged;
      sums.refunded += spent.refunded;
      sums.exact += Number(exact);
    }),
    // Each of them is a story of its own: a smaller one rarely shows the same.
    { seed, numRuns: count, endOnFailure: true },
  );
  for (const one of Object.values(sums)) expect(one).toBeGreaterThan(count / 10);
  const { refused, charged, refunded, exact } = sums;
  return `${count} programs (seed ${seed}): ${charged} credits charged, ${refunded} given back, ${refused} try-ons refused, ${exact} budgets exact to the credit`;
}
