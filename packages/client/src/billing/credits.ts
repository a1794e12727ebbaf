import type { Api, Call, Responded } from "../api/api.ts";
import { defaults } from "../config/options.ts";
import { usePart } from "../errors/use-part.ts";
import type {
  AccountResponse,
  PurchaseWithSPTRequest,
  PurchaseWithSPTResponse,
} from "@tryon/spec/openapi";
import type { Deadline } from "../http/deadline.ts";
import type { CallOptions, Duration } from "../types/call-options.ts";
import type { Part } from "../types/part.ts";

/** Functions that a page loads with its first call about credits. */
interface AccountRequests {
  getAccount(
    api: Api,
    caller: { readonly deadline: Deadline },
  ): Promise<Responded<AccountResponse>>;
}

export interface Purchases {
  readonly sendPurchase: (
    api: Api,
    request: PurchaseWithSPTRequest,
    deadline: Deadline,
  ) => Promise<Responded<PurchaseWithSPTResponse>>;
  readonly settlePurchase: (
    purchase: PurchaseWithSPTResponse | PurchaseWithSPTRequest,
    requests: Pick<WeakMap<object, PurchaseWithSPTRequest>, "get">,
    send: (request: PurchaseWithSPTRequest) => Promise<PurchaseWithSPTResponse>,
    deadline: Deadline,
  ) => Promise<PurchaseOutcome>;
}

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
  readonly #load: Part<AccountRequests>;

  /** @internal It is `tryon.account`. */
  constructor(contexts: CallRunner, load: Part<AccountRequests>) {
    this.#contexts = contexts;
    this.#load = load;
  }

  /**
   * Returns balance, rate limit and prices of the key, with the field names of the service.
   *
   * @throws `unauthorized`, `forbidden`, `rate_limited`
   * @example
   * const { credits_remaining } = await tryon.account.get();
   */
  get(options: CallOptions = {}): Call<AccountResponse> {
    return this.#contexts.call(options, async ({ api }, deadline) =>
      (await usePart(this.#load)).getAccount(api, { deadline }),
    );
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
  readonly #load: Part<Purchases>;
  readonly #requests = new WeakMap<object, PurchaseWithSPTRequest>();

  /** @internal It is `tryon.credits`. */
  constructor(contexts: CallRunner, load: Part<Purchases>) {
    this.#contexts = contexts;
    this.#load = load;
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
    return this.#contexts.within(options, defaults.callTimeout, async ({ api }, deadline) => {
      const { settlePurchase } = await usePart(this.#load);
      const send = async (request: PurchaseWithSPTRequest) =>
        (await this.#send(api, request, deadline)).data;
      return settlePurchase(purchase, this.#requests, send, deadline);
    });
  }

  async #send(
    api: Api,
    request: PurchaseWithSPTRequest,
    deadline: Deadline,
  ): Promise<Responded<PurchaseWithSPTResponse>> {
    const { sendPurchase } = await usePart(this.#load);
    const responded = await sendPurchase(api, request, deadline);
    this.#requests.set(responded.data, request);
    return responded;
  }
}
