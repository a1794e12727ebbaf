import type { Check } from "../../check.ts";
import { accountChecks } from "./account.ts";
import { costChecks } from "./costs.ts";
import { creditChecks } from "./credits.ts";
import { idempotencyKeyChecks } from "./idempotency-keys.ts";
import { pendingPurchaseChecks } from "./pending-purchases.ts";
import { purchaseRefusalChecks } from "./purchase-refusals.ts";
import { purchaseChecks } from "./purchases.ts";
import { rateLimitChecks } from "./rate-limit.ts";
import { refusalChecks } from "./refusals.ts";
import { replayChecks } from "./replays.ts";
import { testPurchaseChecks } from "./test-purchases.ts";

/** Accounts, credits, what is charged and what is not, idempotency, the rate limit, and purchases. */
export const billingChecks: readonly Check[] = [
  ...accountChecks,
  ...costChecks,
  ...creditChecks,
  ...refusalChecks,
  ...replayChecks,
  ...idempotencyKeyChecks,
  ...rateLimitChecks,
  ...purchaseChecks,
  ...testPurchaseChecks,
  ...purchaseRefusalChecks,
  ...pendingPurchaseChecks,
];
