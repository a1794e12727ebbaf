import { jobPlants } from "./jobs.ts";
import { moneyStatusPlants } from "./money-statuses.ts";
import { moneyPlants } from "./money.ts";
import type { Plant } from "./plant.ts";
import { requestPlants } from "./requests.ts";
import { slowWebhookPlants, webhookPlants } from "./webhooks.ts";

/** Every deviation that the kit is known to find. */
export const allPlants: readonly Plant[] = [
  ...requestPlants,
  ...jobPlants,
  ...moneyPlants,
  ...moneyStatusPlants,
  ...webhookPlants,
  ...slowWebhookPlants,
];
