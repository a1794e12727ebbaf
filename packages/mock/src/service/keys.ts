import type { AccountState, KeyMode, KeyRecord } from "../store/records.ts";
import type { Transaction } from "../store/store.ts";
import { limits } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { changeBalance } from "./credits.ts";
import { readNewKey, type NewKey } from "./new-key.ts";
import { ServiceError } from "./service-error.ts";

/** How a key stands in the running window of its rate limit. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds since 1970 at which the window ends. */
  readonly resetAt: number;
  readonly exceeded: boolean;
}

export class Keys {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /**
   * Makes a key.
   *
   * @throws TypeError or RangeError naming a field that cannot be; RangeError when the token is taken or the account has a
   * test key.
   */
  async create(wanted: NewKey): Promise<KeyRecord> {
    const { store, system } = this.#context;
    const { mode, credits, rateLimitPerMinute, ...given } = readNewKey(wanted);
    return store.transact(async (transaction) => {
      const accountId = given.accountId ?? `acct_${system.random.token(16)}`;
      await this.#openAccount(transaction, accountId, mode, given.accountState);
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
      if ((await transaction.keyByToken(key.token)) !== undefined) {
        throw new RangeError("There is a key with this token already; give each key its own.");
      }
      await transaction.putKey(key);
      return changeBalance(transaction, key, { credits, cause: "grant", at: system.clock.now() });
    });
  }

  /** Makes the account of a tenant, which has no key yet, and gives its id. */
  openTenant(): Promise<string> {
    const { store, system } = this.#context;
    return store.transact(async (transaction) => {
      const id = `acct_${system.random.token(16)}`;
      await transaction.putAccount({ id, state: "active", tenant: true });
      return id;
    });
  }

  /**
   * Finds the key of a request and makes sure that it may call.
   *
   * @throws Refusal `unauthorized` for an unknown key, `forbidden` for one that may not call any more.
   */
  async authenticate(token: string | undefined): Promise<KeyRecord> {
    if (token === undefined) {
      throw new ServiceError(
        "unauthorized",
        "Missing API key; send the header Authorization: Bearer <API key>.",
      );
    }
    const found = await this.#context.store.transact(async (transaction) => {
      const key = await transaction.keyByToken(token);
      return key && { key, account: await transaction.account(key.accountId) };
    });
    if (found === undefined) {
      throw new ServiceError(
        "unauthorized",
        "Invalid API key; make one on the developer dashboard.",
      );
    }
    if (found.account?.state === "flagged") {
      throw new ServiceError("forbidden", "The account is not eligible: it was flagged for fraud.");
    }
    if (found.key.state !== "active") {
      throw new ServiceError("forbidden", `The API key is ${found.key.state}.`);
    }
    return found.key;
  }

  /** Counts a request against the key's window; one that is over the limit is not counted as a call. */
  countCall(keyId: string): Promise<RateWindow> {
    const window = Math.floor(this.#context.system.clock.now() / limits.rateWindow);
    return this.#context.store.transact(async (transaction) => {
      const key = await mustFind(transaction, keyId);
      const calls = key.window === window ? key.windowCalls : 0;
      const exceeded = calls >= key.rateLimitPerMinute;
      if (!exceeded) {
        await transaction.putKey({
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
    });
  }

  async #openAccount(
    transaction: Transaction,
    id: string,
    mode: KeyMode,
    state: AccountState | undefined,
  ): Promise<void> {
    const keys = await transaction.keysOfAccount(id);
    if (mode === "test" && keys.some((key) => key.mode === "test")) {
      throw new RangeError("The account has a test key already, and an account has exactly one.");
    }
    const account = await transaction.account(id);
    if (account === undefined || state !== undefined) {
      await transaction.putAccount({ ...account, id, state: state ?? "active" });
    }
  }
}

/** Reads a key that is known to exist. */
export async function mustFind(transaction: Transaction, keyId: string): Promise<KeyRecord> {
  const key = await transaction.key(keyId);
  if (key === undefined) throw new Error(`The key ${keyId} has gone from the store.`);
  return key;
}
