import type { SchemaChecks } from "./schema-checks.ts";
import type { Budget } from "./target/budget.ts";
import type { Control } from "./target/control.ts";
import type { RequestPacer } from "./target/request-pacer.ts";
import type { Receiver } from "./target/receiver.ts";
import type { Time } from "./target/time.ts";
import type { Redactor } from "./wire/redactor.ts";
import type { Send } from "./wire/send.ts";

/** A key of the deployment. */
export interface Key {
  readonly token: string;
  readonly kind: "live" | "test";
  readonly webhookSecret: string | undefined;
  readonly accountId: string | undefined;
}

/** Options of a new key, where the kit can make keys. */
export interface NewKey {
  readonly mode?: "live" | "test";
  readonly credits?: number;
  readonly rate_limit_per_min?: number;
  readonly name?: string;
  readonly state?: "active" | "disabled" | "revoked" | "suspended";
  readonly account_id?: string | undefined;
}

/** Everything that the checks of a run share. */
export interface CheckContext {
  readonly baseUrl: string;
  readonly send: Send;
  readonly time: Time;
  readonly pace: RequestPacer;
  readonly budget: Budget;
  readonly watch: SchemaChecks;
  readonly control: Control | undefined;
  /** Removes the keys of the run from text that leaves the kit. */
  readonly redactor: Redactor;
  readonly receiver: Receiver | undefined;
  /** The keys that the user gave, and those that were made because the deployment lets the kit make them. */
  readonly keys: Readonly<Partial<Record<KeyName, Key>>>;
}

/** Purposes of the keys of a run. */
export const keyNames = ["live", "test", "stranger", "disabled", "flagged"] as const;
/**
 * Purpose of a key of a run.
 *
 * @useDeclaredType
 */
export type KeyName = (typeof keyNames)[number];

/** Says what a run lacks that has no key of this name. */
export function missingKey(name: KeyName): string {
  const flags: Readonly<Record<KeyName, string>> = {
    live: "a live key (--api-key or --live-key, with --allow-live)",
    test: "a test key (--api-key or --test-key)",
    stranger: "a key of another account (--other-key)",
    disabled: "a disabled key (--disabled-key)",
    flagged: "a key of an account that was flagged for fraud (--flagged-key)",
  };
  return `It takes ${flags[name]}.`;
}
