import type { PurchaseWithSPTResponse } from "../generated/openapi.ts";

/** Outcome of a purchase. */
export type PurchaseOutcome = FinalStatus & {
  /** Credits of the key as of the last response. */
  readonly balance: number | undefined;
  /** Last response to the purchase. Undefined if the service did not repeat it. */
  readonly purchase: PurchaseWithSPTResponse | undefined;
};

/** @inline */
type FinalStatus =
  /** The credits were added. */
  | { readonly status: "succeeded"; readonly creditsAdded: number }
  /** Nothing was paid. `reason` is the payment processor's status, or the message of the service. */
  | { readonly status: "canceled" | "failed"; readonly reason: string }
  /** The outcome is open or unknown. `lastStatus` is the last status of the payment processor, `hint` the next step. */
  | { readonly status: "unknown"; readonly lastStatus: string | undefined; readonly hint: string };

/** Returns the outcome that a response states, or undefined while its status may change. */
export function outcomeOf(purchase: PurchaseWithSPTResponse): PurchaseOutcome | undefined {
  const { status: reason, credits_added: creditsAdded, credits_remaining: balance } = purchase;
  if (reason === "succeeded") return { status: reason, creditsAdded, balance, purchase };
  if (/^cancell?ed$/.test(reason)) return { status: "canceled", reason, balance, purchase };
  if (/^(failed|declined|expired|refused|rejected|voided)$/.test(reason)) {
    return { status: "failed", reason, balance, purchase };
  }
  return undefined;
}

/** Returns the outcome of a purchase that no response settled. */
export function unknownOutcome(
  hint: string,
  purchase: PurchaseWithSPTResponse | undefined,
  balance = purchase?.credits_remaining,
): PurchaseOutcome {
  return { status: "unknown", lastStatus: purchase?.status, hint, balance, purchase };
}
