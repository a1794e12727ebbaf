import { cases, seed } from "@tryon/test-kit/cases";
import { expect, it } from "vitest";

import { runBudgetScenarios } from "../../test/budget-scenario.ts";

it("counts what the ledger charges within the limit in many programs", async () => {
  const count = cases(1_000);
  const totals = await runBudgetScenarios(seed, count);
  // The totals say how much this test has covered.
  // oxlint-disable-next-line no-console
  console.log(totals);
  expect(totals).toContain(`${count} programs`);
}, 900_000);
