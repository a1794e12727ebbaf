import { jobUnseen } from "./jobs/unseen.ts";
import { moneyUnseen } from "./money/unseen.ts";
import { requestUnseen } from "./requests/unseen.ts";
import { webhookUnseen } from "./webhooks/unseen.ts";

/** Rules of the server that no check shows, each with the reason why they cannot be seen from outside. */
export const unseenRules: Readonly<Record<string, string>> = {
  ...requestUnseen,
  ...jobUnseen,
  ...moneyUnseen,
  ...webhookUnseen,
};
