import type { PurchaseWithSPTRequest, PurchaseWithSPTResponse } from "../generated/openapi.ts";
import { defaults, type CallOptions } from "../config/options.ts";
import { call, type Call } from "../api/call.ts";
import type { Purchases } from "./purchases.ts";
import type { PurchaseOutcome } from "./purchase-outcome.ts";

/** Buys credits. */
export class Credits {
  readonly #purchases: () => Purchases;

  /** @internal It is `tryon.credits`. */
  constructor(purchases: () => Purchases) {
    this.#purchases = purchases;
  }

  /**
   * Buys a pack with a shared payment token that the user granted. Safe to repeat with the same token and pack: a token
   * pays once. Look at `status`: with `succeeded` the credits are there, otherwise they follow, or the user has to act.
   *
   * @throws `payment_failed` when the payment was declined; `purchase_already_processed` when the token has paid before,
   * with the balance as `balance`; `bad_request` for an unknown pack or a token that is none.
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
    const config = () => this.#purchases().config;
    return call(config, options, defaults.callTimeout, (deadline) =>
      this.#purchases().buy(body, deadline),
    );
  }

  /**
   * Waits until it is known what became of a purchase: `succeeded`, `canceled`, `failed`, or `unknown` when that is not
   * known within `timeout`. It repeats the purchase, which pays once, after pauses of 1 s to 10 s. Where the service repeats
   * no purchase, it looks whether the balance has risen by the credits of the pack, what this client spent counted in.
   *
   * @param purchase - What `purchase` gave, or what it was given: its token and pack.
   * @param options.timeout - How long to wait. @default "2m"
   * @throws `invalid_input` for a purchase of another client; `unauthorized`, `forbidden`, `bad_request`; the reason of `signal`
   * @example
   * const settled = await tryon.credits.waitForPurchase(purchase, { timeout: "5m" });
   * if (settled.status === "succeeded") console.log(settled.creditsAdded, settled.balance);
   */
  async waitForPurchase(
    purchase: PurchaseWithSPTResponse | PurchaseWithSPTRequest,
    options: CallOptions = {},
  ): Promise<PurchaseOutcome> {
    return this.#purchases().waitForPurchase(purchase, options);
  }
}
