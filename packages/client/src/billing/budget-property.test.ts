import { expect, it } from "vitest";

import { runBudgetScenarios } from "../../test/budget-scenario.ts";

it("counts what the ledger charges within the limit, whatever fails", async () => {
  expect(await runBudgetScenarios(3, 15)).toContain("15 programs");
});
