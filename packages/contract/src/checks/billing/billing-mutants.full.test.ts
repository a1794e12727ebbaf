import { describe, expect, test } from "vitest";

import { billingProbes } from "../../probes/billing.ts";
import { failed, runChecks } from "../../../test/run-checks.ts";
import { billingMutants } from "../../../test/mutants/billing/index.ts";
import { billingStatusMutants } from "../../../test/mutants/billing/statuses.ts";
import { billingChecks } from "./index.ts";

const money = { checks: billingChecks, probes: billingProbes };

describe("a deployment that", () => {
  test.each([...billingMutants, ...billingStatusMutants])(
    "$name is found out, and nothing else of it",
    async ({ plant, expected }) => {
      const { ids, why } = failed(await runChecks(money, {}, plant));
      expect(ids, why).toEqual(expected);
    },
  );
});
