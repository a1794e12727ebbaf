import type { Key, KeyName } from "../bench.ts";
import type { Fields } from "../wire/answer.ts";
import type { Control } from "./control.ts";

/** Calls a minute of the keys that the kit makes: more than a run makes. */
const rateLimit = 1_000_000;

/** What a reference server gives to a key that the kit makes. */
const credits = 1_000_000;

type Keys = Partial<Record<KeyName, Key>>;

/** The keys that were given, and those that are missing where the deployment lets the kit make them. */
export async function gatherKeys(given: Keys, control: Control | undefined): Promise<Keys> {
  if (control === undefined) return given;
  const make = async (path: "keys" | "tenants", wanted: Fields): Promise<Key> => {
    const made = await control.post(path, {
      rate_limit_per_min: rateLimit,
      name: "contract",
      ...wanted,
    });
    return {
      token: String(made["api_key"]),
      kind: wanted["mode"] === "test" ? "test" : "live",
      webhookSecret: String(made["webhook_secret"]),
      accountId: String(made["account_id"]),
    };
  };
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
