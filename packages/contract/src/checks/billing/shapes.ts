/** The rules of this part that stand in the schema of an answer, or in its headers. */
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
