import { expect, it } from "vitest";

import { spendMany } from "../testing/many-sprees.ts";

it("charges no more than a budget holds in 1,000 programs, and counts what the ledger counts", async () => {
  const table = await spendMany(1, 1_000);
  // The figures are what this test is run for.
  // oxlint-disable-next-line no-console
  console.log(table);
  expect(table).toContain("1000 programs");
}, 900_000);
