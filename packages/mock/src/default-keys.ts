import type { Keys } from "./service/keys.ts";
import type { NewKey } from "./service/new-key.ts";

/** Tokens of the keys that every reference server has. */
export interface DefaultKeys {
  /** A live key with 1,000 credits, or the number of the setting `credits`. */
  readonly live: string;
  /** A test key: costs nothing, stock images. */
  readonly test: string;
  /** A disabled live key: 403. */
  readonly disabled: string;
  /** A live key of an account that was flagged for fraud: 403. */
  readonly flagged: string;
  /** A live key with no credits. */
  readonly empty: string;
  /** A live key with a limit of 5 requests a minute. */
  readonly limited: string;
}

const tokens: DefaultKeys = {
  live: "svc_live_mock",
  test: "svc_test_mock",
  disabled: "svc_live_disabled",
  flagged: "svc_live_flagged",
  empty: "svc_live_empty",
  limited: "svc_live_limited",
};

export const webhookSecret = "whsec_mock";

const accountId = "acct_mock";
const rateLimitPerMinute = 6_000;

const keys: readonly (NewKey & { token: string })[] = [
  { token: tokens.live, name: "mock live", accountId },
  { token: tokens.test, name: "mock test", mode: "test", accountId },
  { token: tokens.disabled, name: "mock disabled", state: "disabled", accountId },
  { token: tokens.flagged, name: "mock flagged", accountState: "flagged" },
  { token: tokens.empty, name: "mock empty", credits: 0, accountId },
  { token: tokens.limited, name: "mock limited", rateLimitPerMinute: 5, accountId },
];

export const defaultKeys = {
  tokens,
  /** Creates the keys that are missing. `credits` is the balance of live keys but the one that is always empty. */
  create(store: Keys, credits: number): void {
    for (const key of keys) {
      if (store.has(key.token)) continue;
      const balance = key.mode === "test" ? {} : { credits };
      store.create({ rateLimitPerMinute, webhookSecret, ...balance, ...key });
    }
  },
};
