import type { AccountResponse } from "../generated/openapi.ts";
import { defaults, type CallOptions } from "../config/options.ts";
import type { Api } from "../api/api.ts";
import { call, type Call } from "../api/call.ts";

/** What the service knows of the key. */
export class Account {
  readonly #api: () => Api;

  /** @internal It is `tryon.account`. */
  constructor(api: () => Api) {
    this.#api = api;
  }

  /**
   * Balance, rate limit and prices of the key, as the service names them.
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
