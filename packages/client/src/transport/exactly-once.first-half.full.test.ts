import { expect, it } from "vitest";

import { undergoMany } from "../testing/many-ordeals.ts";

it("makes at most one job and one charge of each of 5,000 try-ons, and loses none", async () => {
  const table = await undergoMany(1, 5_000);
  // The figures are what this test is run for.
  // oxlint-disable-next-line no-console
  console.log(table);
  expect(table).toContain("5000 try-ons");
}, 600_000);
