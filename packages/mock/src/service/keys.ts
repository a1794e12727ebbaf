import { OptionsError } from "@tryon/shared/options";

import type { AccountState, KeyMode, KeyRecord } from "../store/records.ts";
import type { Tables } from "../store/store.ts";
import { limits } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { changeBalance } from "./credits.ts";
import { readNewKey, type NewKey } from "./new-key.ts";
import { ServiceError } from "./service-error.ts";

export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds since 1970 at which the whole limit is available again. */
  readonly resetAt: number;
  /** Milliseconds since 1970 at which the next request is possible once the limit is reached. */
  readonly retryAt: number;
  readonly exceeded: boolean;
}

export class Keys {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  create(fields: NewKey): KeyRecord {
    const { store, system } = this.#context;
    const { mode, credits, rateLimitPerMinute, ...given } = readNewKey(fields);
    return store.transact((tables) => {
      const accountId = given.accountId ?? `acct_${system.random.token(16)}`;
      this.#openAccount(tables, accountId, mode, given.accountState);
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
        // Stryker disable next-line ArrayDeclaration: another item than a number is in no window.
        callTimes: [],
        day: 0,
        daySpent: 0,
        contentBlockedInARow: 0,
      };
      if (tables.keyByToken(key.token) !== undefined) {
        throw new OptionsError("token", "is that of another key", "Choose another one.");
      }
      tables.keys.put(key);
      return changeBalance(tables, key, { credits, cause: "grant", at: system.clock.now() });
    });
  }

  has(token: string): boolean {
    return this.#context.store.transact((tables) => tables.keyByToken(token)) !== undefined;
  }

  openTenant(): string {
    const { store, system } = this.#context;
    return store.transact((tables) => {
      const id = `acct_${system.random.token(16)}`;
      tables.accounts.put({ id, state: "active", tenant: true });
      return id;
    });
  }

  /**
   * Authenticates a request and counts it against the rate limit of its key, which it returns as it is then. A request
   * over the limit is not counted.
   *
   * @throws ServiceError `unauthorized` for an unknown key, `forbidden` for an inactive one.
   */
  admit(token: string | undefined): { key: KeyRecord; window: RateWindow } {
    if (token === undefined) {
      throw new ServiceError(
        "unauthorized",
        "Missing API key; send the header Authorization: Bearer <API key>.",
        "auth.key.missing-401",
      );
    }
    return this.#context.store.transact((tables) => {
      const key = tables.keyByToken(token);
      if (key === undefined) {
        throw new ServiceError(
          "unauthorized",
          "Invalid API key; create one on the developer dashboard.",
          "auth.key.invalid-401",
        );
      }
      if (tables.accounts.getOrThrow(key.accountId).state === "flagged") {
        throw new ServiceError(
          "forbidden",
          "The account is not eligible: it was flagged for fraud.",
          "auth.account.flagged-403",
        );
      }
      if (key.state !== "active") {
        const isSuspended = key.state === "suspended";
        throw new ServiceError(
          "forbidden",
          `The API key is ${key.state}.`,
          isSuspended ? "content.blocked.suspension" : "auth.key.disabled-or-revoked-403",
        );
      }
      return this.#countCall(tables, key);
    });
  }

  uncount(keyId: string): void {
    if (this.#context.options.totalCalls !== "accepted") return;
    this.#context.store.transact((tables) => {
      const key = tables.keys.getOrThrow(keyId);
      tables.keys.put({ ...key, totalCalls: key.totalCalls - 1 });
    });
  }

  #countCall(tables: Tables, key: KeyRecord): { key: KeyRecord; window: RateWindow } {
    const now = this.#context.system.clock.now();
    const isSliding = this.#context.options.rateWindow === "sliding";
    const window = Math.floor(now / limits.rateWindow);
    // A date that is set back leaves times in the future.
    const times = key.callTimes.filter((at) => at > now - limits.rateWindow && at <= now);
    const fixedCalls = key.window === window ? key.windowCalls : 0;
    const calls = isSliding ? times.length : fixedCalls;
    const limit = key.rateLimitPerMinute;
    const exceeded = calls >= limit;
    const counted = exceeded
      ? key
      : {
          ...key,
          window,
          windowCalls: calls + 1,
          // A fixed window has no call times.
          callTimes: isSliding ? [...times, now] : times,
          totalCalls: key.totalCalls + 1,
        };
    tables.keys.put(counted);
    const remaining = Math.max(0, limit - calls - 1);
    const start = window * limits.rateWindow;
    const resetAt = (counted.callTimes.at(-1) ?? start) + limits.rateWindow;
    const retryAt = (times[0] ?? start) + limits.rateWindow;
    return { key: counted, window: { limit, remaining, resetAt, retryAt, exceeded } };
  }

  #openAccount(tables: Tables, id: string, mode: KeyMode, state: AccountState | undefined): void {
    const keys = tables.keys.all(id);
    if (mode === "test" && keys.some((key) => key.mode === "test")) {
      const problem = "is live if the account has a test key, of which it has exactly one";
      throw new OptionsError("mode", problem);
    }
    const account = tables.accounts.get(id);
    if (account === undefined || state !== undefined) {
      tables.accounts.put({ ...account, id, state: state ?? "active" });
    }
  }
}
