import type { JobData } from "../types/job.ts";

/** Maximum cost of a try-on that a service can state, in credits. Sums of charges stay exact. */
const maxCost = 1_000_000;

export interface CountedCredits {
  readonly spent: number;
  /** Credits that the service may still charge. Before the first response, the price. */
  readonly reserved: number;
}

/** Returns true for a test key, whose try-ons are free. A client of a proxy has no key. */
export function isTestKey(apiKey: string): boolean {
  return apiKey.startsWith("svc_test_");
}

export function isCredits(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= maxCost && value % 1 === 0;
}

/**
 * Counts the credits of a job after a response about it. Until the job has ended, the service may still charge the price, so
 * the higher of price and stated cost counts. After its end, the stated cost counts. Any other value counts as a missing cost.
 *
 * @param counted - Credits before the response.
 */
export function countCredits(
  { spent, reserved }: CountedCredits,
  { status, cost_credits: cost, test_mode: isTest }: Partial<JobData>,
  hasTestKey: boolean,
): CountedCredits {
  const stated = isCredits(cost) ? cost : undefined;
  const total = hasTestKey || isTest === true ? spent : spent + reserved;
  if (status === "succeeded" || status === "failed") return { spent: stated ?? total, reserved: 0 };
  const charged = Math.max(spent, stated ?? 0);
  return { spent: charged, reserved: Math.max(0, total - charged) };
}
