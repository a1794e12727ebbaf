import type { Check } from "../check.ts";
import { billingChecks, billingNotObservable, billingShapes } from "./billing/index.ts";
import { jobChecks, jobShapes } from "./jobs/index.ts";
import { requestChecks, requestShapes, requestsNotObservable } from "./requests/index.ts";
import { webhookChecks } from "./webhooks/index.ts";

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
  const shapes = [requestShapes, jobShapes, billingShapes];
  return shapes.flatMap((area) => area[`${operation} ${status}`] ?? []);
}
