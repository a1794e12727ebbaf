export interface Key {
  readonly token: string;
  readonly kind: "live" | "test";
  readonly webhookSecret: string | undefined;
  readonly accountId: string | undefined;
}

export interface NewKey {
  readonly mode?: "live" | "test";
  readonly credits?: number;
  readonly rate_limit_per_min?: number;
  readonly name?: string;
  readonly state?: "active" | "disabled" | "revoked" | "suspended";
  readonly account_id?: string | undefined;
}

export type KeyKind = "any" | "live" | "test";

/** Purposes of the keys of a run. */
export const keyNames = ["live", "test", "stranger", "disabled", "flagged"] as const;
/**
 * Purpose of a key of a run.
 *
 * @useDeclaredType
 */
export type KeyName = (typeof keyNames)[number];

export type Keys = Readonly<Partial<Record<KeyName, Key>>>;

export function missingKey(name: KeyName): string {
  const flags: Readonly<Record<KeyName, string>> = {
    live: "a live key (TRYON_API_KEY or TRYON_LIVE_KEY, with --allow-live)",
    test: "a test key (--api-key or --test-key)",
    stranger: "a key of another account (TRYON_OTHER_KEY)",
    disabled: "a disabled key (TRYON_DISABLED_KEY)",
    flagged: "a key of an account that was flagged for fraud (TRYON_FLAGGED_KEY)",
  };
  return `It takes ${flags[name]}.`;
}
