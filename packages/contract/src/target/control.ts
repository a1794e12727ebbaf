import { fieldsOf, type Fields } from "../wire/response.ts";
import type { Redactor } from "../wire/redactor.ts";
import { NoResponse, type Send } from "../wire/send.ts";
import type { Key, Keys } from "./keys.ts";

/** Requests per minute and credits of a key that the kit makes: more than a run uses. */
const plenty = 1_000_000;

/** Maximum time to remove a fault after the end of a run, in milliseconds. */
const cleanUpTime = 10_000;

/** Control API of a reference server. */
export interface Control {
  /** Sends a request to `/__mock/<path>`. */
  readonly post: (path: string, body?: Fields) => Promise<Fields>;
  readonly get: (path: string) => Promise<Fields>;
  readonly remove: (path: string) => Promise<Fields>;
  /** Makes a key, with `tenants` in a new account. */
  readonly makeKey: (path: "keys" | "tenants", options: Fields) => Promise<Key>;
}

/**
 * Finds the control API of the deployment. Returns undefined if it has none, or forbids it.
 *
 * @param given keys of the user.
 */
export async function findControl(
  send: Send,
  given: Keys,
  redactor: Redactor,
  signal?: AbortSignal,
): Promise<Control | undefined> {
  const call = async (
    method: string,
    path: string,
    body?: Fields,
    ending = signal,
  ): Promise<Fields> => {
    const sent = body !== undefined && { body: JSON.stringify(body) };
    const { status, json } = await send({ method, path: `/__mock/${path}`, ...sent }, ending);
    const fields = fieldsOf(json);
    if (status === 200) return fields;
    throw new Error(`${method} /__mock/${path} got ${status}: ${String(fields["detail"])}`);
  };
  const request = { method: "GET", path: "/__mock/options" };
  const found = await send(request, signal).catch(ignoreReset);
  signal?.throwIfAborted();
  const isControl = found?.status === 200 && fieldsOf(found.json)["options"] !== undefined;
  if (!isControl || found.headers.get("x-mock") === null) return undefined;
  return {
    post: (path, body) => call("POST", path, body),
    get: (path) => call("GET", path),
    // Also after the end of the run.
    remove: (path) => call("DELETE", path, undefined, AbortSignal.timeout(cleanUpTime)),
    async makeKey(path, options) {
      const made = await call("POST", path, options);
      const key: Key = {
        token: String(made["api_key"]),
        kind: options["mode"] === "test" ? "test" : "live",
        webhookSecret: String(made["webhook_secret"]),
        accountId: String(made["account_id"]),
      };
      // The kit does not count the credits of keys that it made.
      if (Object.values(given).some(({ token }) => token === key.token)) {
        throw new Error("The control API returned a key of the user instead of a new one.");
      }
      redactor.add(key.token, key.webhookSecret);
      return key;
    },
  };
}

/** A proxy in front of a deployment may reset the connection for an unknown path. */
function ignoreReset(error: unknown): undefined {
  if (!(error instanceof NoResponse)) throw error;
}

/** Makes the keys that the user has not given, where there is a control API. */
export async function addMissingKeys(given: Keys, control: Control | undefined): Promise<Keys> {
  if (control === undefined) return given;
  const make: Control["makeKey"] = (path, options) =>
    control.makeKey(path, { rate_limit_per_min: plenty, name: "contract", ...options });
  const live = given.live ?? (await make("tenants", { credits: plenty }));
  const account = live.accountId === undefined ? {} : { account_id: live.accountId };
  return {
    live,
    test: given.test ?? (await make("keys", { mode: "test", ...account })),
    stranger: given.stranger ?? (await make("tenants", { credits: plenty })),
    disabled: given.disabled ?? (await make("tenants", { state: "disabled" })),
    flagged: given.flagged ?? (await make("keys", { account_state: "flagged" })),
  };
}
