import type { Probe } from "../check.ts";
import { jobProbes } from "./jobs.ts";
import { billingProbes } from "./billing.ts";
import { requestProbes } from "./requests.ts";
import { webhookProbes } from "./webhooks.ts";

/** Every probe, in the order in which they are run. */
export const allProbes: readonly Probe[] = [
  ...requestProbes,
  ...jobProbes,
  ...billingProbes,
  ...webhookProbes,
];
