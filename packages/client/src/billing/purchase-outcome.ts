import type { PurchaseWithSPTResponse } from "../generated/openapi.ts";

/** Outcome of a purchase. */
export type PurchaseOutcome = SettledStatus & {
  /** Credits of the key as of the last response. */
  readonly balance: number | undefined;
  /** Last response to the purchase. Undefined if the service did not repeat it. */
  readonly purchase: PurchaseWithSPTResponse | undefined;
};

/** @inline */
type SettledStatus =
  /** The credits were added. */
  | { readonly status: "succeeded"; readonly creditsAdded: number }
  /** Nothing was paid. `reason` is the payment processor's status, or the message of the service. */
  | { readonly status: "canceled" | "failed"; readonly reason: string }
  /** The outcome is open or unknown. `lastStatus` is the last status of the payment processor. */
  | { readonly status: "unknown"; readonly lastStatus: string | undefined };

/** Returns the outcome of a final status of the payment processor, or undefined for any other. */
export function endOf(status: string): "succeeded" | "canceled" | "failed" | undefined {
  if (status === "succeeded") return status;
  if (/^cancell?ed$/.test(status)) return "canceled";
  return /^(failed|declined|expired|refused|rejected|voided)$/.test(status) ? "failed" : undefined;
}

/** What became of a purchase by the service's own word; undefined when that may change. */
export function settledBy(purchase: PurchaseWithSPTResponse): PurchaseOutcome | undefined {
  const { status: reason, credits_added: creditsAdded, credits_remaining: balance } = purchase;
  const status = endOf(reason);
  if (status === "succeeded") return { status, creditsAdded, balance, purchase };
  return status && { status, reason, balance, purchase };
}

const firstPause = 1_000;
const longestPause = 10_000;

/** The pause before a purchase is asked for again, in milliseconds: a second at first, up to 10 s, each up to 15 % off. */
export function settleDelay(looks: number, random: () => number): number {
  return Math.min(longestPause, firstPause * 1.5 ** looks) * (0.85 + 0.3 * random());
}
