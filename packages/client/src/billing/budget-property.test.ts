import { expect, it } from "vitest";

import { runBudgetScenarios } from "../../test/run-budget-scenarios.ts";

it("charges no more than a budget holds whatever fails, and counts what the ledger counts", async () => {
  const table = await runBudgetScenarios(3, 25);
  expect(table).toContain("25 programs");
});
