import type { Hono } from "hono";

import { json } from "../../http/responses.ts";
import type { NewKey } from "../../service/new-key.ts";
import type { NewTenant } from "../tenant.ts";
import type { Steered } from "./control-app.ts";
import { checked, ControlError, readFields, readQuery, refuse, type FieldNames } from "./input.ts";
import { ledgerEntryView } from "./views.ts";

const tenantFields: FieldNames = {
  mode: "mode",
  credits: "credits",
  rate_limit_per_min: "rateLimitPerMinute",
  name: "name",
  state: "state",
};

const keyFields: FieldNames = {
  ...tenantFields,
  account_id: "accountId",
  account_state: "accountState",
};

/** Keys, worlds of their own, and what is on them. */
export function addKeyRoutes(app: Hono, mock: Steered): void {
  app.post("/keys", async ({ req }) => {
    const fields = await readFields(req.raw, keyFields);
    // Whatever the fields hold, createKey looks at each.
    const key = await checked(keyFields, () => mock.createKey(fields as NewKey));
    return json({
      api_key: key.token,
      webhook_secret: key.webhookSecret,
      account_id: key.accountId,
    });
  });

  app.post("/tenants", async ({ req }) => {
    const fields = await readFields(req.raw, tenantFields);
    // As above.
    const tenant = await checked(tenantFields, () => mock.tenant(fields as NewTenant));
    return json({
      api_key: tenant.apiKey,
      webhook_secret: tenant.webhookSecret,
      account_id: tenant.accountId,
    });
  });

  app.get("/ledger", async ({ req }) => {
    const { api_key: key } = readQuery(req.url, ["api_key"]);
    if (key === undefined) return refuse("api_key is missing; name the key, as in ?api_key=….");
    const ledger = await mock.ledger(key);
    if (ledger === undefined) throw new ControlError(404, "api_key: there is no such key.");
    return json({ entries: ledger.entries.map(ledgerEntryView), balance: ledger.balance });
  });

  app.post("/payments/:id/settle", async ({ req }) => {
    const { status = "succeeded" } = await readFields(req.raw, { status: "status" });
    if (typeof status !== "string" || status === "") {
      return refuse('status has to be a text such as "succeeded" or "canceled".');
    }
    const names = { payment_intent_id: "paymentIntentId" };
    await checked(names, () => mock.settlePayment(req.param("id"), status), 404);
    return json({});
  });
}
