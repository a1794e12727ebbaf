import type { AccountState, KeyMode, KeyState } from "../store/records.ts";
import { show } from "../shown.ts";

/** Fields of a new key. All are optional. */
export interface NewKey {
  /** @default a random `svc_live_…` or `svc_test_…` */
  token?: string;
  /** @default "test" if the token begins with `svc_test_`, otherwise "live" */
  mode?: KeyMode;
  /** Initial credits. @default 1000 for live keys, 0 for test keys */
  credits?: number;
  /** Requests a minute. @default 60 */
  rateLimitPerMinute?: number;
  /** Label that `GET /api/v1/account` returns. @default null */
  name?: string | null;
  /** @default "active" */
  state?: KeyState;
  /** @default a random `whsec_…` */
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

/** New key with defaults for all fields that are not random. */
export interface ResolvedNewKey extends NewKey {
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
      `${field} must consist of visible ASCII characters, because it is sent in a header.`,
    );
  },
  mode: oneOf(modes),
  credits: wholeNumber(0),
  rateLimitPerMinute: wholeNumber(1),
  name: (field, value) => {
    if (value === null || typeof value === "string") return;
    throw new TypeError(`${field} must be a string or null; got ${show(value)}.`);
  },
  state: oneOf(states),
  webhookSecret: nonEmptyString,
  accountId: nonEmptyString,
  accountState: oneOf(accountStates),
};

/**
 * Validates the fields of a new key and adds the defaults.
 *
 * @throws TypeError or RangeError that names the first invalid field, its limit and the fix.
 */
export function readNewKey(fields: NewKey): ResolvedNewKey {
  if (fields === null || typeof fields !== "object") {
    throw new TypeError(
      `The new key must be an object such as { credits: 40 }; got ${show(fields)}.`,
    );
  }
  for (const [field, value] of Object.entries(fields)) {
    if (!Object.hasOwn(checks, field)) {
      const known = Object.keys(checks).join(", ");
      throw new TypeError(`Unknown field ${show(field)}; a key has ${known}.`);
    }
    // The line above has checked that it is one of them.
    if (value !== undefined) checks[field as keyof NewKey](field, value);
  }
  const mode = fields.mode ?? (fields.token?.startsWith("svc_test_") ? "test" : "live");
  checkPrefix(fields.token, mode);
  return {
    ...fields,
    mode,
    state: fields.state ?? "active",
    name: fields.name ?? null,
    credits: fields.credits ?? (mode === "live" ? startCredits : 0),
    rateLimitPerMinute: fields.rateLimitPerMinute ?? defaultRateLimit,
  };
}

function checkPrefix(token: string | undefined, mode: KeyMode): void {
  const other = mode === "live" ? "svc_test_" : "svc_live_";
  if (token?.startsWith(other) !== true) return;
  throw new TypeError(`token begins with ${other}, but the mode is ${mode}; use svc_${mode}_.`);
}

function oneOf(allowed: readonly string[]): Check {
  return (field, value) => {
    if (typeof value === "string" && allowed.includes(value)) return;
    throw new RangeError(`${field} must be one of ${allowed.join(", ")}; got ${show(value)}.`);
  };
}

function wholeNumber(min: number): Check {
  return (field, value) => {
    if (Number.isSafeInteger(value) && Number(value) >= min) return;
    throw new RangeError(`${field} must be a whole number from ${min} up; got ${show(value)}.`);
  };
}

function nonEmptyString(field: string, value: unknown): void {
  if (typeof value === "string" && value !== "") return;
  throw new TypeError(`${field} must be a non-empty string; got ${show(value)}.`);
}
