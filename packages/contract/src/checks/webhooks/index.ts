import type { Check } from "../../check.ts";
import { eventChecks } from "./events.ts";
import { sendingChecks } from "./sending.ts";

/** Checks of the webhooks that report the end of a job. */
export const webhookChecks: readonly Check[] = [...sendingChecks, ...eventChecks];
