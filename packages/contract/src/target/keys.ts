import type { Key, KeyName } from "../check-context.ts";
import type { Fields } from "../wire/response.ts";
import type { Redactor } from "../wire/redactor.ts";
import type { Control } from "./control.ts";

/** Calls a minute of the keys that the kit makes: more than a run makes. */
const rateLimit = 1_000_000;

/** Credits of a key that the kit makes. */
const credits = 1_000_000;

type Keys = Partial<Record<KeyName, Key>>;

/** Creates a key with the control API. */
export type KeyMaker = (path: "keys" | "tenants", wanted: Fields) => Promise<Key>;

/** @param given the keys of the user. */
export function keyMaker(post: Control["post"], given: Keys, redactor: Redactor): KeyMaker {
  const tokens = new Set(Object.values(given).map(({ token }) => token));
  return async (path, wanted) => {
    const made = await post(path, wanted);
    const key: Key = {
      token: String(made["api_key"]),
      kind: wanted["mode"] === "test" ? "test" : "live",
      webhookSecret: String(made["webhook_secret"]),
      accountId: String(made["account_id"]),
    };
    // The kit does not count the credits of keys that it created.
    if (tokens.has(key.token)) {
      throw new Error("The control API returned a key of the user instead of a new one.");
    }
    redactor.add(key.token, key.webhookSecret);
    return key;
  };
}

/** The keys that were given, and those that are missing where the deployment lets the kit make them. */
export async function collectKeys(given: Keys, control: Control | undefined): Promise<Keys> {
  if (control === undefined) return given;
  const make: KeyMaker = (path, wanted) =>
    control.makeKey(path, { rate_limit_per_min: rateLimit, name: "contract", ...wanted });
  const live = given.live ?? (await make("tenants", { credits }));
  const account = live.accountId === undefined ? {} : { account_id: live.accountId };
  return {
    live,
    test: given.test ?? (await make("keys", { mode: "test", ...account })),
    stranger: given.stranger ?? (await make("tenants", { credits })),
    disabled: given.disabled ?? (await make("tenants", { state: "disabled" })),
    flagged: given.flagged ?? (await make("keys", { account_state: "flagged" })),
  };
}
