import { expect, test } from "vitest";

import { billingProbes } from "../../probes/billing.ts";
import { foundIds, failures, runArea } from "../../../test/run-checks.ts";
import { billingMutants } from "../../../test/mutants/billing/index.ts";
import { billingChecks } from "../index.ts";

const billing = { checks: billingChecks, probes: billingProbes };

test.each(billingMutants)(
  "finds only $expected for a server that $name",
  async ({ plant, expected }) => {
    const report = await runArea(billing, {}, plant);
    expect(foundIds(report), failures(report)).toEqual(expected.toSorted());
  },
);

test("has a mutant for every check", () => {
  const caught = new Set(billingMutants.flatMap(({ expected }) => expected));
  expect(billingChecks.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
});
