import {
  accepting,
  oneOf,
  OptionsError,
  readOptions,
  wholeNumber,
  type Rule,
} from "@tryon/shared/options";

import type { AccountState, KeyMode, KeyState } from "../store/records.ts";

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

const nonEmpty = accepting<string>(
  "a non-empty string",
  (given) => typeof given === "string" && given !== "",
);

const newKeyRules = {
  token: {
    ...accepting<string>(
      "visible ASCII characters, because it is sent in a header",
      (given) => typeof given === "string" && /^[\u0021-\u007e]+$/.test(given),
    ),
    // An invalid token is likely a real key.
    isSecret: true,
  },
  mode: oneOf("live", "test"),
  credits: wholeNumber(0),
  rateLimitPerMinute: { ...wholeNumber(1), fallback: 60 },
  name: {
    ...accepting<string | null>(
      "a string or null",
      (given) => given === null || typeof given === "string",
    ),
    fallback: null,
  },
  state: { ...oneOf("active", "disabled", "revoked", "suspended"), fallback: "active" },
  webhookSecret: { ...nonEmpty, isSecret: true },
  accountId: nonEmpty,
  accountState: oneOf("active", "flagged"),
} satisfies Record<keyof NewKey, Rule>;

export function readNewKey(given: NewKey) {
  const fields = readOptions("a field of a key", given, newKeyRules);
  const { token } = fields;
  const mode = fields.mode ?? (token?.startsWith("svc_test_") ? "test" : "live");
  const other = mode === "live" ? "svc_test_" : "svc_live_";
  if (token?.startsWith(other)) {
    const problem = `begins with ${other}, but the {mode} is ${mode}`;
    throw new OptionsError("token", problem, `Use svc_${mode}_.`);
  }
  return { ...fields, mode, credits: fields.credits ?? (mode === "live" ? 1_000 : 0) };
}
