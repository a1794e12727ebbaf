import type { Check } from "../../check.ts";
import { bodyChecks } from "./bodies.ts";
import { headerChecks } from "./headers.ts";
import { retryChecks } from "./retries.ts";
import { sendingChecks } from "./sending.ts";
import { targetChecks } from "./targets.ts";

/** The event that goes out when a job ends. */
export const webhookChecks: readonly Check[] = [
  ...sendingChecks,
  ...headerChecks,
  ...bodyChecks,
  ...retryChecks,
  ...targetChecks,
];
