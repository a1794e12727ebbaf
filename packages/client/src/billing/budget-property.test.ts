import { expect, it } from "vitest";

import { spendMany } from "../../test/run-budget-scenarios.ts";

it("charges no more than a budget holds whatever fails, and counts what the ledger counts", async () => {
  const table = await spendMany(3, 25);
  expect(table).toContain("25 programs");
});
