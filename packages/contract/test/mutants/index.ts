import { jobMutants } from "./jobs/index.ts";
import { billingMutants } from "./billing/index.ts";
import type { Mutant } from "./mutant.ts";
import { requestMutants } from "./requests/index.ts";
import { webhookMutants } from "./webhooks/index.ts";

export const allMutants: readonly Mutant[] = [
  ...requestMutants,
  ...jobMutants,
  ...billingMutants,
  ...webhookMutants,
];
