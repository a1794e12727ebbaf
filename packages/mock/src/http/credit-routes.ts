import type { Hono } from "hono";

import { json } from "./responses.ts";
import { keyed, type Site } from "./calls.ts";
import { readBody } from "./validation.ts";
import { accountView, purchaseView } from "./views.ts";

/** The account of the calling key, and credit packs. */
export function addCreditRoutes(app: Hono, site: Site): void {
  const { service } = site;

  app.get(
    "/api/v1/account",
    keyed(site, async ({ key }) => json(accountView(await service.account(key.id)))),
  );

  app.post(
    "/api/v1/credits/purchase",
    keyed(site, async ({ key, body }) => {
      const order = readBody(site.schemas.purchase, await body(), service.options);
      const answer = await service.purchases.purchase(key.id, {
        packSlug: order.pack_slug,
        token: order.shared_payment_granted_token,
      });
      return json(purchaseView(answer));
    }),
  );
}
