import { expect, test } from "vitest";

import { billingProbes } from "../../probes/billing.ts";
import { failedIds, failures, runArea } from "../../../test/run-checks.ts";
import { billingMutants } from "../../../test/mutants/billing/index.ts";
import { billingStatusMutants } from "../../../test/mutants/billing/statuses.ts";
import { billingChecks } from "./index.ts";

const billing = { checks: billingChecks, probes: billingProbes };
const all = [...billingMutants, ...billingStatusMutants];

test.each(all)("fails only $expected for a server that $name", async ({ plant, expected }) => {
  const report = await runArea(billing, {}, plant);
  expect(failedIds(report), failures(report)).toEqual(expected.toSorted());
});

test("has a mutant for every check", () => {
  const caught = new Set(all.flatMap(({ expected }) => expected));
  expect(billingChecks.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
});
