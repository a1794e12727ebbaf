import type { Check } from "../check.ts";
import { billingChecks, billingNotObservable, billingShapes } from "./billing/index.ts";
import { jobChecks, jobShapes } from "./jobs/index.ts";
import { requestChecks, requestShapes, requestsNotObservable } from "./requests/index.ts";
import { eventChecks } from "./webhooks/events.ts";
import { sendingChecks } from "./webhooks/sending.ts";

/** Checks of the webhooks that report the end of a job. */
export const webhookChecks: readonly Check[] = [...sendingChecks, ...eventChecks];

/** Every check, in the order of a run. */
export const allChecks: readonly Check[] = [
  ...requestChecks,
  ...jobChecks,
  ...billingChecks,
  ...webhookChecks,
];

/** Rules of the server that have no check, with the reason. */
export const notObservableRules: Readonly<Record<string, string>> = {
  ...requestsNotObservable,
  ...billingNotObservable,
};

/** Rules that the schema of a response states. Every response is checked against its schema. */
export function shapeRules(operation: string, status: number): readonly string[] {
  const areas = [requestShapes, jobShapes, billingShapes];
  return areas.flatMap((shapes) => shapes[`${operation} ${status}`] ?? []);
}
