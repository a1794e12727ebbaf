import type { Check } from "../check.ts";
import { jobChecks } from "./jobs/index.ts";
import { billingChecks } from "./billing/index.ts";
import { requestChecks } from "./requests/index.ts";
import { webhookChecks } from "./webhooks/index.ts";

/** Every check, in the order in which they are run. */
export const allChecks: readonly Check[] = [
  ...requestChecks,
  ...jobChecks,
  ...billingChecks,
  ...webhookChecks,
];
