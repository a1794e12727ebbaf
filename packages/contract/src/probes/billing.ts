import type { Probe } from "../check.ts";
import { idempotencyProbes } from "./idempotency.ts";
import { paymentProbes } from "./payments.ts";
import { rateLimitProbes } from "./rate-limit.ts";

export const billingProbes: readonly Probe[] = [
  ...idempotencyProbes,
  ...paymentProbes,
  ...rateLimitProbes,
];
