import { rejectUnknownNames } from "@tryon/command-line/known-names";

import type { AccountState, KeyMode, KeyRecord, KeyState } from "../store/records.ts";
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

/** New key with defaults for all fields that are not random. */
type ResolvedNewKey = NewKey &
  Pick<KeyRecord, "mode" | "state" | "name" | "credits" | "rateLimitPerMinute">;

interface Rule {
  readonly accepts: (value: unknown) => boolean;
  /** Completes "FIELD must be …". */
  readonly limit: string;
}

const nonEmpty: Rule = {
  accepts: (value) => typeof value === "string" && value !== "",
  limit: "a non-empty string",
};

const rules: Readonly<Record<keyof NewKey, Rule>> = {
  token: {
    accepts: (value) => typeof value === "string" && /^[\u0021-\u007e]+$/.test(value),
    limit: "visible ASCII characters, because it is sent in a header",
  },
  mode: oneOf("live", "test"),
  credits: wholeNumber(0),
  rateLimitPerMinute: wholeNumber(1),
  name: {
    accepts: (value) => value === null || typeof value === "string",
    limit: "a string or null",
  },
  state: oneOf("active", "disabled", "revoked", "suspended"),
  webhookSecret: nonEmpty,
  accountId: nonEmpty,
  accountState: oneOf("active", "flagged"),
};

/** @throws TypeError or RangeError that names the first invalid field, its limit and the fix. */
export function readNewKey(fields: NewKey): ResolvedNewKey {
  if (fields === null || typeof fields !== "object") {
    throw new TypeError(
      `The new key must be an object such as { credits: 40 }; got ${show(fields)}.`,
    );
  }
  rejectUnknownNames(fields, Object.keys(rules), "Unknown field", "a key has");
  for (const [field, value] of Object.entries(fields)) {
    // The line above has checked that it is one of them.
    const { accepts, limit } = rules[field as keyof NewKey];
    if (value === undefined || accepts(value)) continue;
    // An invalid token is likely a real key.
    const got = field === "token" ? "" : `; got ${show(value)}`;
    throw new RangeError(`${field} must be ${limit}${got}.`);
  }
  const { token } = fields;
  const mode = fields.mode ?? (token?.startsWith("svc_test_") ? "test" : "live");
  const other = mode === "live" ? "svc_test_" : "svc_live_";
  if (token?.startsWith(other)) {
    throw new TypeError(`token begins with ${other}, but the mode is ${mode}; use svc_${mode}_.`);
  }
  return {
    ...fields,
    mode,
    state: fields.state ?? "active",
    name: fields.name ?? null,
    credits: fields.credits ?? (mode === "live" ? 1_000 : 0),
    rateLimitPerMinute: fields.rateLimitPerMinute ?? 60,
  };
}

function oneOf(...values: readonly string[]): Rule {
  return {
    accepts: (value) => typeof value === "string" && values.includes(value),
    limit: `one of ${values.join(", ")}`,
  };
}

function wholeNumber(min: number): Rule {
  return {
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= min,
    limit: `a whole number from ${min} up`,
  };
}
