import type { Check } from "../../check.ts";

export const moneyChecks: readonly Check[] = [];
