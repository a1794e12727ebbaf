import type { AccountState, KeyMode, KeyRecord } from "../store/records.ts";
import type { Transaction } from "../store/store.ts";
import { limits } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { changeBalance } from "./credits.ts";
import { readNewKey, type NewKey } from "./new-key.ts";
import { ServiceError } from "./service-error.ts";

/** State of a key's rate limit in the current window. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds since 1970 at which the window ends. */
  readonly resetAt: number;
  readonly exceeded: boolean;
}

/** API keys: creation, authentication and rate limits. */
export class Keys {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /**
   * Creates a key.
   *
   * @throws TypeError or RangeError that names an invalid field. RangeError if the token is taken or the account already
   * has a test key.
   */
  async create(fields: NewKey): Promise<KeyRecord> {
    const { store, system } = this.#context;
    const { mode, credits, rateLimitPerMinute, ...given } = readNewKey(fields);
    return store.transact((transaction) => {
      const accountId = given.accountId ?? `acct_${system.random.token(16)}`;
      this.#openAccount(transaction, accountId, mode, given.accountState);
      const key: KeyRecord = {
        id: `key_${system.random.token(16)}`,
        token: given.token ?? `svc_${mode}_${system.random.token(32)}`,
        accountId,
        mode,
        state: given.state,
        name: given.name,
        webhookSecret: given.webhookSecret ?? `whsec_${system.random.token(32)}`,
        credits: 0,
        rateLimitPerMinute,
        totalCalls: 0,
        window: 0,
        windowCalls: 0,
        day: 0,
        daySpent: 0,
        contentBlockedInARow: 0,
      };
      if (transaction.keyByToken(key.token) !== undefined) {
        throw new RangeError("A key with this token already exists; choose another token.");
      }
      transaction.putKey(key);
      return changeBalance(transaction, key, { credits, cause: "grant", at: system.clock.now() });
    });
  }

  /** Creates the account of a tenant and returns its id. */
  async openTenant(): Promise<string> {
    const { store, system } = this.#context;
    return store.transact((transaction) => {
      const id = `acct_${system.random.token(16)}`;
      transaction.putAccount({ id, state: "active", tenant: true });
      return id;
    });
  }

  /**
   * Authenticates a request and counts it against the rate limit of its key. A request over the limit is not counted.
   *
   * @throws ServiceError `unauthorized` for an unknown key, `forbidden` for an inactive one.
   */
  async admit(token: string | undefined): Promise<{ key: KeyRecord; window: RateWindow }> {
    if (token === undefined) {
      throw new ServiceError(
        "unauthorized",
        "Missing API key; send the header Authorization: Bearer <API key>.",
      );
    }
    return this.#context.store.transact((transaction) => {
      const key = transaction.keyByToken(token);
      if (key === undefined) {
        throw new ServiceError(
          "unauthorized",
          "Invalid API key; create one on the developer dashboard.",
        );
      }
      if (transaction.account(key.accountId)?.state === "flagged") {
        throw new ServiceError(
          "forbidden",
          "The account is not eligible: it was flagged for fraud.",
        );
      }
      if (key.state !== "active") {
        throw new ServiceError("forbidden", `The API key is ${key.state}.`);
      }
      return { key, window: this.#countCall(transaction, key) };
    });
  }

  #countCall(transaction: Transaction, key: KeyRecord): RateWindow {
    const window = Math.floor(this.#context.system.clock.now() / limits.rateWindow);
    const calls = key.window === window ? key.windowCalls : 0;
    const exceeded = calls >= key.rateLimitPerMinute;
    if (!exceeded) {
      transaction.putKey({
        ...key,
        window,
        windowCalls: calls + 1,
        totalCalls: key.totalCalls + 1,
      });
    }
    return {
      limit: key.rateLimitPerMinute,
      remaining: Math.max(0, key.rateLimitPerMinute - calls - 1),
      resetAt: (window + 1) * limits.rateWindow,
      exceeded,
    };
  }

  #openAccount(
    transaction: Transaction,
    id: string,
    mode: KeyMode,
    state: AccountState | undefined,
  ): void {
    const keys = transaction.keysOfAccount(id);
    if (mode === "test" && keys.some((key) => key.mode === "test")) {
      throw new RangeError("The account already has a test key, and an account has exactly one.");
    }
    const account = transaction.account(id);
    if (account === undefined || state !== undefined) {
      transaction.putAccount({ ...account, id, state: state ?? "active" });
    }
  }
}
