import { jobShapes } from "./checks/jobs/index.ts";
import { billingShapes } from "./checks/billing/shapes.ts";
import { requestShapes } from "./checks/requests/index.ts";

/** The rules that stand in the schema of an answer: what holds every such answer against the document shows them. */
const areas: readonly Readonly<Record<string, readonly string[]>>[] = [
  requestShapes,
  jobShapes,
  billingShapes,
];

export function shapeRules(operation: string, status: number): readonly string[] {
  return areas.flatMap((area) => area[`${operation} ${status}`] ?? []);
}
