import type { Probe } from "../check.ts";

export const webhookProbes: readonly Probe[] = [];
