import { jobPlants } from "./jobs/index.ts";
import { moneyStatusPlants } from "./money/statuses.ts";
import { moneyPlants } from "./money/index.ts";
import type { Plant } from "./plant.ts";
import { requestPlants } from "./requests/index.ts";
import { slowWebhookPlants, webhookPlants } from "./webhooks/index.ts";

/** Every deviation that the kit is known to find. */
export const allPlants: readonly Plant[] = [
  ...requestPlants,
  ...jobPlants,
  ...moneyPlants,
  ...moneyStatusPlants,
  ...webhookPlants,
  ...slowWebhookPlants,
];
