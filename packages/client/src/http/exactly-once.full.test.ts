import { cases, seed } from "@tryon/test-kit/cases";
import { expect, it } from "vitest";

import { runScenarios } from "../../test/run-fault-scenarios.ts";

it("makes at most one job and one charge of each of many try-ons, and loses none", async () => {
  const count = cases(10_000);
  const table = await runScenarios(seed, count);
  // The figures are what this test is run for.
  // oxlint-disable-next-line no-console
  console.log(table);
  expect(table).toContain(`${count} try-ons`);
}, 1_200_000);
