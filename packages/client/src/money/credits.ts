import { isTryOnError } from "../errors/guard.ts";
import type { PurchaseWithSPTRequest, PurchaseWithSPTResponse } from "../generated/openapi.ts";
import { defaults, type CallOptions } from "../options.ts";
import type { Service } from "../transport/service.ts";
import { call, type Call } from "../transport/with-response.ts";

/** Buys credits. */
export class Credits {
  readonly #service: Service;

  /** @internal It is `tryon.credits`. */
  constructor(service: Service) {
    this.#service = service;
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
    return call(this.#service.settings, options, defaults.callTimeout, async (deadline) => {
      try {
        return await this.#service.purchase(body, { deadline });
      } catch (error) {
        if (isTryOnError(error, "purchase_already_processed")) {
          // What the key has now, if that can be learned.
          const account = await this.#service.account({ deadline }).catch(() => undefined);
          deadline.throwIfAborted();
          if (account) Reflect.set(error, "balance", account.credits_remaining);
        }
        throw error;
      }
    });
  }
}
