import type { Probe } from "../check.ts";

export const requestProbes: readonly Probe[] = [];
