import type { CallOptions } from "../types/call-options.ts";
import type { PurchaseWithSPTRequest, PurchaseWithSPTResponse } from "../generated/openapi.ts";
import { defaults } from "../config/options.ts";
import { call, type Call } from "../api/call.ts";
import type { Purchases } from "./purchases.ts";
import type { PurchaseOutcome } from "./purchase-outcome.ts";

/** Purchases of credits. */
export class Credits {
  readonly #purchases: () => Purchases;

  /** @internal It is `tryon.credits`. */
  constructor(purchases: () => Purchases) {
    this.#purchases = purchases;
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
    const config = () => this.#purchases().config;
    return call(config, options, defaults.callTimeout, (deadline) =>
      this.#purchases().buy(body, deadline),
    );
  }

  /**
   * Waits for the outcome of a purchase: `succeeded`, `canceled`, `failed`, or `unknown` if it is not known within `timeout`.
   * Repeats the purchase, which pays once, after delays of 1 s to 10 s. If the service does not repeat purchases, it checks
   * whether the balance has risen by the credits of the pack, taking into account what this client spent.
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
    return this.#purchases().waitForPurchase(purchase, options);
  }
}
