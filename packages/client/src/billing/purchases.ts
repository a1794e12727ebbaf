import { getAccount, purchaseCredits } from "../api/account-requests.ts";
import type { Api, Responded } from "../api/api.ts";
import { isTryOnError } from "../errors/is-tryon-error.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { transientCodes } from "../errors/tryon-error.ts";
import type { Deadline } from "../http/deadline.ts";
import type { PurchaseWithSPTRequest, PurchaseWithSPTResponse } from "@tryon/spec/openapi";

const firstDelay = 1_000;
const maxDelay = 10_000;

const notRepeatedHint =
  "The token was used before. Compare `balance` with that before the purchase, or check the payment.";
const lateHint = "It was not settled in time: call waitForPurchase again, which pays once.";

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
  | {
      /** Outcome of the payment. */
      readonly status: "succeeded";
      /** Credits that the service added to the key. */
      readonly creditsAdded: number;
    }
  /** Nothing was paid. `reason` is the payment processor's status, or the message of the service. */
  | {
      /** Outcome of the payment. */
      readonly status: "canceled" | "failed";
      /** Status of the payment processor, or the message of the service. */
      readonly reason: string;
    }
  /** The outcome is open or unknown. `lastStatus` is the last status of the payment processor, `hint` the next step. */
  | {
      /** Outcome of the payment. */
      readonly status: "unknown";
      /** Last status of the payment processor. Undefined without a response. */
      readonly lastStatus: string | undefined;
      /** Next step, for people. */
      readonly hint: string;
    };

/** Sends a purchase. An error for a token that has paid before gets the balance. */
export async function sendPurchase(
  api: Api,
  request: PurchaseWithSPTRequest,
  deadline: Deadline,
): Promise<Responded<PurchaseWithSPTResponse>> {
  try {
    return await purchaseCredits(api, request, { deadline });
  } catch (error) {
    if (isTryOnError(error, "purchase_already_processed")) {
      const account = await getAccount(api, { deadline }).catch(() => undefined);
      deadline.throwIfAborted();
      const balance = account?.data.credits_remaining;
      if (Number.isFinite(balance)) Reflect.set(error, "balance", balance);
    }
    throw error;
  }
}

export async function settlePurchase(
  purchase: PurchaseWithSPTResponse | PurchaseWithSPTRequest,
  requests: Pick<WeakMap<object, PurchaseWithSPTRequest>, "get">,
  send: (request: PurchaseWithSPTRequest) => Promise<PurchaseWithSPTResponse>,
  deadline: Deadline,
): Promise<PurchaseOutcome> {
  const isRequest = "shared_payment_granted_token" in Object(purchase);
  // Only a request has a token.
  const request = isRequest ? { ...(purchase as PurchaseWithSPTRequest) } : requests.get(purchase);
  if (request === undefined) {
    throw new InputError("purchase", "was not made by this client", {
      hint: "Pass its pack_slug and shared_payment_granted_token.",
    });
  }
  let last = isRequest ? undefined : (purchase as PurchaseWithSPTResponse);
  const unknown = (hint: string, balance = last?.credits_remaining): PurchaseOutcome => {
    return { status: "unknown", lastStatus: last?.status, hint, balance, purchase: last };
  };
  let delay = last ? firstDelay : 0;
  for (;;) {
    const outcome = last && outcomeOf(last);
    if (outcome) return outcome;
    try {
      if (delay > 0) await deadline.sleep(delay);
      delay = Math.min(maxDelay, delay * 2 || firstDelay);
      last = await send(request);
    } catch (error) {
      deadline.throwIfAborted();
      if (isTryOnError(error, "payment_failed")) {
        const balance = last?.credits_remaining;
        return { status: "failed", reason: error.message, balance, purchase: undefined };
      }
      if (isTryOnError(error, "purchase_already_processed")) {
        return unknown(notRepeatedHint, error.balance);
      }
      if (deadline.passed) return unknown(lateHint);
      if (!isTryOnError(error) || !transientCodes.has(error.code)) throw error;
    }
  }
}

function outcomeOf(purchase: PurchaseWithSPTResponse): PurchaseOutcome | undefined {
  const { status: reason, credits_added: creditsAdded, credits_remaining: balance } = purchase;
  if (reason === "succeeded") return { status: reason, creditsAdded, balance, purchase };
  if (reason !== "canceled" && reason !== "failed") return undefined;
  return { status: reason, reason, balance, purchase };
}
