import type { Announcement } from "./announcement.ts";
import { levels, type Level } from "./check.ts";
import type { Progress } from "./run.ts";
import { OptionsError } from "./target/problem.ts";
import type { Key, KeyName } from "./target/keys.ts";

/** Options of `runContract`. */
export interface ContractOptions {
  /** Base URL of the deployment. */
  readonly baseUrl: string;
  /** Key of the requests. A reference server needs none, because the kit makes keys there. */
  readonly apiKey?: string | undefined;
  /** Further keys. A check whose key is missing does not run. */
  readonly keys?: Readonly<Partial<Record<KeyName, string>>> | undefined;
  /** Secret that signs the webhooks of the key. */
  readonly webhookSecret?: string | undefined;
  /** @default "safe" */
  readonly level?: Level | undefined;
  /**
   * Maximum credits that may be spent on live keys. Checks that would exceed it do not run.
   * @default 50, and no limit for keys that the kit creates or for a reference server on this machine
   */
  readonly maxCredits?: number | undefined;
  /**
   * If true, live keys may be used, which costs money. A reference server on this machine needs no permission.
   * @default false
   */
  readonly allowLive?: boolean | undefined;
  /** Prefixes of the ids of checks. Without them all checks run. */
  readonly only?: readonly string[] | undefined;
  /** Public URL that leads to `webhookPort` of this machine. */
  readonly webhookUrl?: string | undefined;
  /** @default a free port */
  readonly webhookPort?: number | undefined;
  /**
   * If true, waits in real time, even if a reference server can advance its clock.
   * @default false
   */
  readonly realTime?: boolean | undefined;
  /** @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called with each result. */
  readonly onResult?: Progress | undefined;
  /** Called with the plan and its maximum cost before the first check. */
  readonly onPlan?: ((announcement: Announcement) => void) | undefined;
  /** Called with the id of each check when it starts. */
  readonly onBegin?: ((id: string) => void) | undefined;
  /** Ends the run early. The remaining checks are not observable. */
  readonly signal?: AbortSignal | undefined;
}

/** Form of a key of the service. */
const keyForm = /^svc_(live|test)_[\w-]+$/;

/** @throws OptionsError with the invalid option and the valid values. */
export function rejectInvalid({
  baseUrl,
  apiKey,
  keys = {},
  level,
  maxCredits,
}: ContractOptions): void {
  if (!isBaseUrl(baseUrl)) {
    throw new OptionsError(
      `The base URL must be an http or https URL without query and user name, such as https://tryon.example; got "${baseUrl}".`,
    );
  }
  for (const [name, token] of Object.entries({ ...keys, apiKey })) {
    const kind = name === "live" || name === "test" ? `svc_${name}_` : "svc_";
    if (token === undefined || (keyForm.test(token) && token.startsWith(kind))) continue;
    // The message omits the value, which may be another secret.
    throw new OptionsError(
      `${name === "apiKey" ? "The API key" : `The key "${name}"`} must begin with ${kind === "svc_" ? "svc_test_ or svc_live_" : kind}, followed by letters, digits, _ and - only.`,
    );
  }
  if (level !== undefined && !levels.includes(level)) {
    throw new OptionsError(`The level must be one of ${levels.join(", ")}; got "${level}".`);
  }
  if (maxCredits !== undefined && !(maxCredits >= 0)) {
    throw new OptionsError(`maxCredits must be at least 0; got ${String(maxCredits)}.`);
  }
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && `${search}${hash}${username}${password}` === "";
}

export function givenKeys({
  apiKey,
  keys = {},
  webhookSecret,
}: ContractOptions): Partial<Record<KeyName, Key>> {
  const all: Partial<Record<KeyName, Key>> = {};
  for (const [name, token] of Object.entries(keys)) {
    // The type of the option has these names.
    if (token !== undefined) all[name as KeyName] = keyOf(token, undefined);
  }
  if (apiKey !== undefined) {
    const key = keyOf(apiKey, webhookSecret);
    all[key.kind] = key;
  }
  return all;
}

function keyOf(token: string, webhookSecret: string | undefined): Key {
  const kind = token.startsWith("svc_test_") ? "test" : "live";
  return { token, kind, webhookSecret, accountId: undefined };
}

/** @throws OptionsError for a live key that may not be used. */
export function rejectLiveKeys(given: Partial<Record<KeyName, Key>>, allowed: boolean): void {
  if (allowed) return;
  const live = Object.values(given).some(({ kind }) => kind === "live");
  if (!live) return;
  throw new OptionsError(
    "A live key spends money. Use --allow-live (allowLive: true), or a test key, which begins with svc_test_.",
  );
}
