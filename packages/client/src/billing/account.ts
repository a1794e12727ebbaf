import type { CallOptions } from "../types/call-options.ts";
import type { AccountResponse } from "../generated/openapi.ts";
import { defaults } from "../config/options.ts";
import { toCall, type Api, type Call } from "../api/api.ts";
import type { KeyContexts } from "../api/key-contexts.ts";

/** Account of an API key. */
export class Account {
  readonly #contexts: KeyContexts<{ readonly api: Api }>;

  /** @internal It is `tryon.account`. */
  constructor(contexts: KeyContexts<{ readonly api: Api }>) {
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
    return toCall(
      this.#contexts.within(options, defaults.callTimeout, ({ api }, deadline) =>
        api.getAccount({ deadline }),
      ),
    );
  }
}
