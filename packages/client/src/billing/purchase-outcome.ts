import type { PurchaseWithSPTResponse } from "../generated/openapi.ts";

/** What became of a purchase. */
export type PurchaseOutcome = SettledStatus & {
  /** The credits of the key, as last heard. */
  readonly balance: number | undefined;
  /** What the service last said of the purchase; absent where it was asked and did not repeat it. */
  readonly purchase: PurchaseWithSPTResponse | undefined;
};

/** @inline */
type SettledStatus =
  /** The credits are there. */
  | { readonly status: "succeeded"; readonly creditsAdded: number }
  /** It is over, and nothing was paid. `reason` is the payment processor's status, or what the service said. */
  | { readonly status: "canceled" | "failed"; readonly reason: string }
  /** It may still go either way, or cannot be known. `lastStatus` is the payment processor's, as last heard. */
  | { readonly status: "unknown"; readonly lastStatus: string | undefined };

/** What a status of the payment processor says of the end; undefined for one that may change. */
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
