import type { CallOptions } from "../types/call-options.ts";
import type { AccountResponse } from "../generated/openapi.ts";
import { defaults } from "../config/options.ts";
import type { Api } from "../api/api.ts";
import { call, type Call } from "../api/call.ts";

/** Account of an API key. */
export class Account {
  readonly #api: () => Api;

  /** @internal It is `tryon.account`. */
  constructor(api: () => Api) {
    this.#api = api;
  }

  /**
   * Returns balance, rate limit and prices of the key, with the field names of the service.
   *
   * @throws `unauthorized`, `forbidden`, `rate_limited`
   * @example
   * const { credits_remaining } = await tryon.account.get();
   */
  get(options: CallOptions = {}): Call<AccountResponse> {
    const config = () => this.#api().http.config;
    return call(config, options, defaults.callTimeout, (deadline) =>
      this.#api().getAccount({ deadline }),
    );
  }
}
