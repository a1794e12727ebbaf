import { jobMutants } from "./jobs/index.ts";
import { billingStatusMutants } from "./billing/statuses.ts";
import { billingMutants } from "./billing/index.ts";
import type { Mutant } from "./mutant.ts";
import { requestMutants } from "./requests/index.ts";
import { slowWebhookMutants, webhookMutants } from "./webhooks/index.ts";

/** Every deviation that the kit is known to find. */
export const allMutants: readonly Mutant[] = [
  ...requestMutants,
  ...jobMutants,
  ...billingMutants,
  ...billingStatusMutants,
  ...webhookMutants,
  ...slowWebhookMutants,
];
