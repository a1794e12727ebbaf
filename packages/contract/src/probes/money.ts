import type { Probe } from "../check.ts";

export const moneyProbes: readonly Probe[] = [];
