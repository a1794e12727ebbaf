import type { Probe } from "../check.ts";
import { billingProbes } from "./billing.ts";
import { jobProbes } from "./jobs.ts";
import { requestProbes } from "./requests.ts";
import { webhookProbes } from "./webhooks.ts";

/** Every probe, in the order of a run. */
export const allProbes: readonly Probe[] = [
  ...requestProbes,
  ...jobProbes,
  ...billingProbes,
  ...webhookProbes,
];

/** Options of the reference server that have no probe, with the reason. */
export const notObservableOptions: Readonly<Record<string, string>> = {
  idempotencyHours: "A run would have to use a key again after an hour and after a day.",
  stored500: "The service would have to fail between the creation of a job and the model.",
  dailySpendCap: "A run would have to spend the whole cap.",
  suspendAfterContentBlocked: "A run would have to risk a key.",
};
