import type { Api, Call, Responded } from "../api/api.ts";
import { defaults } from "../config/options.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { isTryOnError } from "../errors/is-tryon-error.ts";
import { transientCodes } from "../errors/tryon-error.ts";
import type {
  AccountResponse,
  PurchaseWithSPTRequest,
  PurchaseWithSPTResponse,
} from "@tryon/spec/openapi";
import type { Deadline } from "../http/deadline.ts";
import type { CallOptions, Duration } from "../types/call-options.ts";

const firstDelay = 1_000;
const maxDelay = 10_000;

const notRepeatedHint =
  "The token was used before. Compare `balance` with that before the purchase, or check the payment.";
const lateHint = "It was not settled in time: call waitForPurchase again, which pays once.";

interface CallRunner {
  call<Data>(
    options: CallOptions,
    work: (context: { readonly api: Api }, deadline: Deadline) => Promise<Responded<Data>>,
  ): Call<Data>;
  within<Result>(
    options: CallOptions,
    timeout: Duration | undefined,
    work: (context: { readonly api: Api }, deadline: Deadline) => Promise<Result>,
  ): Promise<Result>;
}

/** Account of an API key. */
export class Account {
  readonly #contexts: CallRunner;

  /** @internal It is `tryon.account`. */
  constructor(contexts: CallRunner) {
    this.#contexts = contexts;
  }

  /**
   * Returns balance, rate limit and prices of the key, with the field names of the service.
   *
   * @throws `unauthorized`, `forbidden`, `rate_limited`
   * @example
   * const { credits_remaining } = await tryon.account.get();
   */
  get(options: CallOptions = {}): Call<AccountResponse> {
    return this.#contexts.call(options, ({ api }, deadline) => api.getAccount({ deadline }));
  }
}

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

/** Purchases of credits. */
export class Credits {
  readonly #contexts: CallRunner;
  readonly #requests = new WeakMap<object, PurchaseWithSPTRequest>();

  /** @internal It is `tryon.credits`. */
  constructor(contexts: CallRunner) {
    this.#contexts = contexts;
  }

  /**
   * Buys a pack with a shared payment token of the user. You can repeat it with the same token and pack, since a token pays
   * once. Check `status`: with `succeeded`, the credits are there. Otherwise they follow later, or the user has to act.
   *
   * @throws `payment_failed` if the payment was declined; `purchase_already_processed` if the token has paid before, with the
   * balance as `balance`; `bad_request` for an unknown pack or an invalid token
   * @example
   * const purchase = await tryon.credits.purchase({
   *   pack_slug: "starter",
   *   shared_payment_granted_token: "spt_…",
   * });
   * purchase.credits_remaining;
   */
  purchase(
    request: PurchaseWithSPTRequest,
    options: CallOptions = {},
  ): Call<PurchaseWithSPTResponse> {
    const body = { ...request };
    return this.#contexts.call(options, ({ api }, deadline) => this.#send(api, body, deadline));
  }

  /**
   * Waits for the outcome of a purchase: `succeeded`, `canceled`, `failed`, or `unknown` if it is not known within `timeout`.
   * Repeats the purchase, which pays once, after delays of 1 s to 10 s. If the service does not repeat purchases, the outcome
   * is `unknown`, with the balance of the key.
   *
   * @param purchase - Response of `purchase`, or its request: token and pack.
   * @param options.timeout - Maximum time to wait. @default "2m"
   * @throws `invalid_input` for a purchase of another client; `unauthorized`, `forbidden`, `bad_request`; the reason of `signal`
   * @example
   * const outcome = await tryon.credits.waitForPurchase(purchase, { timeout: "5m" });
   * if (outcome.status === "succeeded") console.log(outcome.creditsAdded, outcome.balance);
   */
  async waitForPurchase(
    purchase: PurchaseWithSPTResponse | PurchaseWithSPTRequest,
    options: CallOptions = {},
  ): Promise<PurchaseOutcome> {
    const isRequest = "shared_payment_granted_token" in Object(purchase);
    // Only a request has a token.
    const request = isRequest
      ? { ...(purchase as PurchaseWithSPTRequest) }
      : this.#requests.get(purchase);
    if (request === undefined) {
      throw new InputError("purchase", "was not made by this client", {
        hint: "Pass its pack_slug and shared_payment_granted_token.",
      });
    }
    return this.#contexts.within(options, defaults.callTimeout, async ({ api }, deadline) => {
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
          last = (await this.#send(api, request, deadline)).data;
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
    });
  }

  async #send(
    api: Api,
    request: PurchaseWithSPTRequest,
    deadline: Deadline,
  ): Promise<Responded<PurchaseWithSPTResponse>> {
    try {
      const responded = await api.purchaseCredits(request, { deadline });
      this.#requests.set(responded.data, request);
      return responded;
    } catch (error) {
      if (isTryOnError(error, "purchase_already_processed")) {
        const account = await api.getAccount({ deadline }).catch(() => undefined);
        deadline.throwIfAborted();
        const balance = account?.data.credits_remaining;
        if (Number.isFinite(balance)) Reflect.set(error, "balance", balance);
      }
      throw error;
    }
  }
}

function outcomeOf(purchase: PurchaseWithSPTResponse): PurchaseOutcome | undefined {
  const { status: reason, credits_added: creditsAdded, credits_remaining: balance } = purchase;
  if (reason === "succeeded") return { status: reason, creditsAdded, balance, purchase };
  if (reason !== "canceled" && reason !== "failed") return undefined;
  return { status: reason, reason, balance, purchase };
}
