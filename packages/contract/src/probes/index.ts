import type { Probe } from "../check.ts";
import type { Deviations } from "../schema-checks.ts";
import { billingProbes, webhookProbes } from "./billing.ts";
import { jobProbes } from "./jobs.ts";
import { requestProbes } from "./requests.ts";

export const allProbes: readonly Probe[] = [
  ...requestProbes,
  ...jobProbes,
  ...billingProbes,
  ...webhookProbes,
];

export const deviations: Deviations = new Map(
  allProbes.flatMap(({ option, explains }) =>
    explains?.deviation === undefined ? [] : [[option, explains.deviation] as const],
  ),
);
