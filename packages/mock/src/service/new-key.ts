import type { AccountState, KeyMode, KeyState } from "../store/records.ts";
import { show } from "../shown.ts";

/** What a new key is to be; everything left out gets a default. */
export interface NewKey {
  /** @default made up: `svc_live_…` or `svc_test_…` */
  token?: string;
  /** @default "test" for a token that begins with `svc_test_`, else "live" */
  mode?: KeyMode;
  /** Credits to begin with. @default 1000 for live keys, 0 for test keys */
  credits?: number;
  /** Requests a minute. @default 60 */
  rateLimitPerMinute?: number;
  /** The label that `GET /api/v1/account` shows. @default null */
  name?: string | null;
  /** @default "active" */
  state?: KeyState;
  /** @default made up: `whsec_…` */
  webhookSecret?: string;
  /** @default a new account */
  accountId?: string;
  /** State of a new account. @default "active" */
  accountState?: AccountState;
}

const startCredits = 1_000;
const defaultRateLimit = 60;

const modes: readonly KeyMode[] = ["live", "test"];
const states: readonly KeyState[] = ["active", "disabled", "revoked", "suspended"];
const accountStates: readonly AccountState[] = ["active", "flagged"];

/** A new key of which everything is known that does not have to be made up. */
export interface WantedKey extends NewKey {
  readonly mode: KeyMode;
  readonly state: KeyState;
  readonly name: string | null;
  readonly credits: number;
  readonly rateLimitPerMinute: number;
}

type Check = (field: string, value: unknown) => void;

const checks: Readonly<Record<keyof NewKey, Check>> = {
  token: (field, value) => {
    if (typeof value === "string" && /^[\u0021-\u007e]+$/.test(value)) return;
    throw new TypeError(
      `${field} has to be a text of visible ASCII characters, or no header can carry it.`,
    );
  },
  mode: oneOf(modes),
  credits: wholeNumber(0),
  rateLimitPerMinute: wholeNumber(1),
  name: (field, value) => {
    if (value === null || typeof value === "string") return;
    throw new TypeError(`${field} has to be a text, or null for none; got ${show(value)}.`);
  },
  state: oneOf(states),
  webhookSecret: text,
  accountId: text,
  accountState: oneOf(accountStates),
};

/**
 * Fills in what was left out.
 *
 * @throws TypeError or RangeError naming the first field that cannot be, its bound and the way out.
 */
export function readNewKey(wanted: NewKey): WantedKey {
  if (wanted === null || typeof wanted !== "object") {
    throw new TypeError(
      `A key is made from an object such as { credits: 40 }; got ${show(wanted)}.`,
    );
  }
  for (const [field, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(checks, field)) {
      const known = Object.keys(checks).join(", ");
      throw new TypeError(`A key has no ${show(field)}; it has ${known}.`);
    }
    // The line above has seen that it is one of them.
    if (value !== undefined) checks[field as keyof NewKey](field, value);
  }
  const mode = wanted.mode ?? (wanted.token?.startsWith("svc_test_") ? "test" : "live");
  checkPrefix(wanted.token, mode);
  return {
    ...wanted,
    mode,
    state: wanted.state ?? "active",
    name: wanted.name ?? null,
    credits: wanted.credits ?? (mode === "live" ? startCredits : 0),
    rateLimitPerMinute: wanted.rateLimitPerMinute ?? defaultRateLimit,
  };
}

function checkPrefix(token: string | undefined, mode: KeyMode): void {
  const other = mode === "live" ? "svc_test_" : "svc_live_";
  if (token?.startsWith(other) !== true) return;
  throw new TypeError(
    `token begins with ${other}, and the key is to be a ${mode} key; use svc_${mode}_.`,
  );
}

function oneOf(allowed: readonly string[]): Check {
  return (field, value) => {
    if (typeof value === "string" && allowed.includes(value)) return;
    throw new RangeError(`${field} has to be one of ${allowed.join(", ")}; got ${show(value)}.`);
  };
}

function wholeNumber(least: number): Check {
  return (field, value) => {
    if (Number.isSafeInteger(value) && Number(value) >= least) return;
    throw new RangeError(`${field} has to be a whole number from ${least} up; got ${show(value)}.`);
  };
}

function text(field: string, value: unknown): void {
  if (typeof value === "string" && value !== "") return;
  throw new TypeError(`${field} has to be a text that is not empty; got ${show(value)}.`);
}
