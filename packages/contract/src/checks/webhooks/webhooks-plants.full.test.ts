import { describe, expect, test } from "vitest";

import { webhookProbes } from "../../probes/webhooks.ts";
import { broken, look } from "../../../test/looking.ts";
import { slowWebhookPlants, webhookPlants } from "../../../test/plants/webhooks/index.ts";
import { webhookChecks } from "./index.ts";

const webhooks = { checks: webhookChecks, probes: webhookProbes };

describe("a deployment that", () => {
  test.each([...webhookPlants, ...slowWebhookPlants])(
    "$name is found out, and nothing else of it",
    async ({ plant, expected }) => {
      const { ids, why } = broken(await look(webhooks, {}, plant));
      expect(ids, why).toEqual(expected);
    },
  );
});
