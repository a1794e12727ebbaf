import type { AccountResponse } from "../generated/openapi.ts";
import { defaults, type CallOptions } from "../config/options.ts";
import type { Service } from "../api/service.ts";
import { call, type Call } from "../api/call.ts";

/** What the service knows of the key. */
export class Account {
  readonly #service: Service;

  /** @internal It is `tryon.account`. */
  constructor(service: Service) {
    this.#service = service;
  }

  /**
   * Balance, rate limit and prices of the key, as the service names them.
   *
   * @throws `unauthorized`, `forbidden`, `rate_limited`
   * @example
   * const { credits_remaining } = await tryon.account.get();
   */
  get(options: CallOptions = {}): Call<AccountResponse> {
    return call(this.#service.settings, options, defaults.callTimeout, (deadline) =>
      this.#service.account({ deadline }),
    );
  }
}
