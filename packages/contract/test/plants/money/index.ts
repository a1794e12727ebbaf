import { chargePlants } from "./charges.ts";
import { idempotencyPlants } from "./idempotency.ts";
import type { Plant } from "../plant.ts";
import { purchasePlants } from "./purchases.ts";
import { rateLimitPlants } from "./rate-limit.ts";

/** Deviations in what is charged, replayed, limited and bought. */
export const moneyPlants: readonly Plant[] = [
  ...idempotencyPlants,
  ...chargePlants,
  ...rateLimitPlants,
  ...purchasePlants,
];
