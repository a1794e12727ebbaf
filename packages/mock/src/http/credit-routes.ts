import type { AccountResponse, PurchaseWithSPTResponse } from "@tryon/spec/openapi";
import { sizes } from "../service/catalogue.ts";
import { json } from "./responses.ts";
import type { Router } from "./router.ts";
import { validate } from "./validation.ts";
import { withKey, type RouteContext } from "./with-key.ts";

export function addCreditRoutes(router: Router, routes: RouteContext): void {
  const { service, schemas } = routes;

  router.add(
    "GET",
    "/api/v1/account",
    withKey(routes, async ({ key }) => {
      const account: AccountResponse = {
        name: key.name,
        credits_remaining: key.credits,
        rate_limit_per_min: key.rateLimitPerMinute,
        total_calls: key.totalCalls,
        tryon_cost_credits: {
          "1K": sizes["1K"].credits,
          "2K": sizes["2K"].credits,
          "4K": sizes["4K"].credits,
        },
      };
      return json(account);
    }),
  );

  router.add(
    "POST",
    "/api/v1/credits/purchase",
    withKey(routes, async ({ key, body }) => {
      const order = validate(schemas().purchase, { body: await body() }, service.options).body;
      const { purchase, ...credits } = await service.purchases.purchase(key.id, {
        packSlug: order.pack_slug,
        token: order.shared_payment_granted_token,
      });
      const response: PurchaseWithSPTResponse = {
        payment_intent_id: purchase.paymentIntentId,
        status: purchase.status,
        pack_slug: purchase.packSlug,
        credits_added: credits.creditsAdded,
        credits_remaining: credits.creditsRemaining,
        next_action: purchase.nextAction,
      };
      return json(response);
    }),
  );
}
