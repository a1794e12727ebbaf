import { cases, seed } from "@tryon/test-kit/cases";
import { expect, it } from "vitest";

import { runBudgetScenarios } from "../../test/run-budget-scenarios.ts";

it("charges no more than a budget holds in many programs, and counts what the ledger counts", async () => {
  const count = cases(1_000);
  const table = await runBudgetScenarios(seed, count);
  // The figures are what this test is run for.
  // oxlint-disable-next-line no-console
  console.log(table);
  expect(table).toContain(`${count} programs`);
}, 900_000);
