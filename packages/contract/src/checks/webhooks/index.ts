import type { Check } from "../../check.ts";

export const webhookChecks: readonly Check[] = [];
