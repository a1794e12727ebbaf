import { gatewayOf } from "../wire/gateway.ts";
import { fieldsOf, type Fields } from "../wire/response.ts";
import type { Redactor } from "../wire/redactor.ts";
import { NoResponse, type Send } from "../wire/send.ts";
import type { Key, Keys } from "./keys.ts";
import { TargetProblem } from "./preflight.ts";

/** Requests per minute and credits of a key that the kit makes: more than a run uses. */
const plenty = 1_000_000;

/** Maximum time to remove a fault after the end of a run, in milliseconds. */
const cleanUpTime = 10_000;

export interface Control {
  readonly headers: Readonly<Record<string, string>>;
  /** Name of a gateway in front of it, whose own times do not follow the clock of the server. */
  readonly gateway: string | undefined;
  readonly post: (path: string, body?: Fields) => Promise<Fields>;
  readonly get: (path: string) => Promise<Fields>;
  readonly remove: (path: string) => Promise<Fields>;
  readonly makeKey: (path: "keys" | "tenants", options: Fields) => Promise<Key>;
}

interface ControlUser {
  readonly keys: Keys;
  readonly token: string | undefined;
  readonly redactor: Redactor;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds the control API of the deployment. Returns undefined if it has none, or forbids it.
 *
 * @throws TargetProblem if it refuses the token, or requires one and the user has neither token nor keys.
 */
export async function findControl(
  send: Send,
  { keys: given, token, redactor, signal }: ControlUser,
): Promise<Control | undefined> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  redactor.add(token);
  const call = async (
    method: string,
    path: string,
    body?: Fields,
    ending = signal,
  ): Promise<Fields> => {
    const sent = body !== undefined && { body: JSON.stringify(body) };
    const { status, json } = await send(
      { method, path: `/__mock/${path}`, headers, ...sent },
      ending,
    );
    const fields = fieldsOf(json);
    if (status === 200) return fields;
    throw new Error(`${method} /__mock/${path} got ${status}: ${String(fields["detail"])}`);
  };
  const request = { method: "GET", path: "/__mock/options", headers };
  const found = await send(request, signal).catch(ignoreReset);
  signal?.throwIfAborted();
  if (found === undefined || found.headers.get("x-mock") === null) return undefined;
  if (found.status === 401 && (token !== undefined || Object.keys(given).length === 0)) {
    throw new TargetProblem("wrong-key", token === undefined ? noToken : wrongToken);
  }
  if (found.status !== 200 || fieldsOf(found.json)["options"] === undefined) return undefined;
  return {
    headers,
    // The reference server itself has no such header.
    gateway: gatewayOf(found) ?? found.headers.get("server") ?? undefined,
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
      if (Object.values(given).some((one) => one.token === key.token)) {
        throw new Error("The control API returned a key of the user instead of a new one.");
      }
      redactor.add(key.token, key.webhookSecret);
      return key;
    },
  };
}

const source = "tryon-mock prints it, and tryon-mock exec sets it.";
const noToken = `The reference server needs the token of its control API, to create keys. Set TRYON_MOCK_TOKEN (controlToken): ${source}`;
const wrongToken = `The reference server refuses the token of its control API. Correct TRYON_MOCK_TOKEN (controlToken): ${source}`;

/** A proxy in front of a deployment may reset the connection for an unknown path. */
function ignoreReset(error: unknown): undefined {
  if (!(error instanceof NoResponse)) throw error;
}

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
