import type { AccountResponse } from "../generated/openapi.ts";
import { defaults, type CallOptions } from "../options.ts";
import { within } from "../transport/deadline.ts";
import type { Service } from "../transport/service.ts";
import { withResponse, type Call } from "../transport/with-response.ts";

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
    return withResponse(async (keep) =>
      within(this.#service.settings(), options, defaults.callTimeout, (deadline) =>
        this.#service.account({ deadline, keep }),
      ),
    );
  }
}
