import { describe, expect, test } from "vitest";

import { webhookProbes } from "../../probes/webhooks.ts";
import { failed, runChecks } from "../../../test/run-checks.ts";
import { slowWebhookMutants, webhookMutants } from "../../../test/mutants/webhooks/index.ts";
import { webhookChecks } from "./index.ts";

const webhooks = { checks: webhookChecks, probes: webhookProbes };

describe("a deployment that", () => {
  test.each([...webhookMutants, ...slowWebhookMutants])(
    "$name is found out, and nothing else of it",
    async ({ plant, expected }) => {
      const { ids, why } = failed(await runChecks(webhooks, {}, plant));
      expect(ids, why).toEqual(expected);
    },
  );
});
