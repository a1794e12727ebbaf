import { chargeMutants } from "./charges.ts";
import { idempotencyMutants } from "./idempotency.ts";
import type { Mutant } from "../mutant.ts";
import { purchaseMutants } from "./purchases.ts";
import { rateLimitMutants } from "./rate-limit.ts";

export const billingMutants: readonly Mutant[] = [
  ...idempotencyMutants,
  ...chargeMutants,
  ...rateLimitMutants,
  ...purchaseMutants,
];
