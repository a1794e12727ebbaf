import type { Area } from "../run-checks.ts";
import { chargeMutants } from "./billing/charges.ts";
import { idempotencyMutants } from "./billing/idempotency.ts";
import { purchaseMutants } from "./billing/purchases.ts";
import { rateLimitMutants } from "./billing/rate-limit.ts";
import { fieldMutants as jobFieldMutants } from "./jobs/fields.ts";
import { jobRequestMutants } from "./jobs/requests.ts";
import { resultMutants } from "./jobs/results.ts";
import type { Mutant } from "./mutant.ts";
import { endpointMutants } from "./requests/endpoints.ts";
import { fieldMutants } from "./requests/fields.ts";
import { imageMutants } from "./requests/images.ts";
import { responseMutants } from "./requests/responses.ts";
import { publicWebhookMutants, webhookMutants } from "./webhooks/index.ts";

export const mutantsOf: Readonly<Record<Area, readonly Mutant[]>> = {
  requests: [...fieldMutants, ...imageMutants, ...responseMutants, ...endpointMutants],
  jobs: [...jobFieldMutants, ...resultMutants, ...jobRequestMutants],
  billing: [...idempotencyMutants, ...chargeMutants, ...rateLimitMutants, ...purchaseMutants],
  webhooks: [...webhookMutants, ...publicWebhookMutants],
};

const byGroup = Object.values(mutantsOf)
  .flat()
  .toReversed()
  .map((mutant) => [mutant.expected[0]?.split(".")[0], mutant] as const)
  // Not a check, but a shape of the document.
  .filter(([group]) => group !== "responses");

/** The first mutant of each group of checks, such as `idempotency`. In the whole kit only its own check fails. */
export const chosenMutants: readonly Mutant[] = [...new Map(byGroup).values()];
