import type { Check } from "../../check.ts";
import { accountChecks } from "./account.ts";
import { creditChecks } from "./credits.ts";
import { idempotencyChecks } from "./idempotency.ts";
import { purchaseOutcomeChecks } from "./purchase-outcomes.ts";
import { purchaseChecks } from "./purchases.ts";
import { rateLimitChecks } from "./rate-limit.ts";
import { refusalChecks } from "./refusals.ts";

/** Checks of accounts, credits, charges, idempotency, the rate limit and purchases. */
export const billingChecks: readonly Check[] = [
  ...accountChecks,
  ...creditChecks,
  ...refusalChecks,
  ...idempotencyChecks,
  ...rateLimitChecks,
  ...purchaseChecks,
  ...purchaseOutcomeChecks,
];

/** Rules of billing that have no check, with the reason. */
export const billingNotObservable: Readonly<Record<string, string>> = {
  "errors.500.replayed":
    "The service would have to fail with 500 after it made the job and before it calls the model. The control API only fails before or after the work.",
  "limits.daily-spend-cap.value":
    "A run would have to spend the whole cap: thousands of try-ons in a day with one key.",
};

/** Rules that the schema or the headers of a response state, by operation and status. */
export const billingShapes: Readonly<Record<string, readonly string[]>> = {
  "GET /api/v1/account 200": [
    "account.request-and-answer",
    "account.name.label",
    "account.credits-remaining.balance",
    "account.rate-limit-per-min.allowance",
    "account.total-calls.lifetime",
    "account.tryon-cost-credits.costs",
  ],
  "GET /api/v1/account 429": ["errors.429.retry-after"],
  "POST /api/v1/tryon 429": ["errors.429.retry-after"],
  "POST /api/v1/credits/purchase 200": [
    "purchase.request-and-answer",
    "purchase-response.payment-intent-id.present",
    "purchase-response.status.open-set",
    "purchase-response.pack-slug.bought",
    "purchase-response.credits-added.this-call",
    "purchase-response.credits-remaining.balance",
    "purchase-response.next-action.requires-action",
  ],
};
