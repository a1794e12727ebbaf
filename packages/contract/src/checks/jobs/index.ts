import type { Check } from "../../check.ts";

export const jobChecks: readonly Check[] = [];
