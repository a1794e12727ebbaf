import type * as accountRequests from "../api/account-requests.ts";
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
import type * as purchases from "./purchases.ts";

type AccountPart = Pick<typeof accountRequests, "getAccount">;

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
  readonly #load: Part<AccountPart>;

  /** @internal It is `tryon.account`. */
  constructor(contexts: CallRunner, load: Part<AccountPart>) {
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

/** Purchases of credits. */
export class Credits {
  readonly #contexts: CallRunner;
  readonly #load: Part<typeof purchases>;
  readonly #requests = new WeakMap<object, PurchaseWithSPTRequest>();

  /** @internal It is `tryon.credits`. */
  constructor(contexts: CallRunner, load: Part<typeof purchases>) {
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
  ): Promise<purchases.PurchaseOutcome> {
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
