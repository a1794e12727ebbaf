import type { Announcement } from "./announcement.ts";
import { levels, type Level } from "./check.ts";
import type { Progress } from "./run.ts";
import { OptionsError } from "./target/problem.ts";
import type { Key, KeyName } from "./target/keys.ts";

/** Options of `runContract`. */
export interface ContractOptions {
  /** Base URL of the deployment. */
  readonly baseUrl: string;
  /** The key to call with. It may be left out where the deployment is a reference server, which makes keys. */
  readonly apiKey?: string | undefined;
  /** Further keys, each for what it shows; those that are missing leave checks out. */
  readonly keys?: Readonly<Partial<Record<KeyName, string>>> | undefined;
  /** The secret that signs the webhooks of the key. */
  readonly webhookSecret?: string | undefined;
  /** @default "safe" */
  readonly level?: Level | undefined;
  /**
   * The most credits that may be spent on live keys; what would go over it is left out.
   * @default 50, and no limit for keys that the kit creates or for a reference server on this machine
   */
  readonly maxCredits?: number | undefined;
  /**
   * If true, live keys may be used, which costs money. A reference server on this machine needs no permission.
   * @default false
   */
  readonly allowLive?: boolean | undefined;
  /** Beginnings of the ids of checks; all are run when there is none. */
  readonly only?: readonly string[] | undefined;
  /** Public URL that leads to `webhookPort` of this machine. */
  readonly webhookUrl?: string | undefined;
  /** @default a free port */
  readonly webhookPort?: number | undefined;
  /**
   * If true, waits for time even where it could be moved.
   * @default false
   */
  readonly realTime?: boolean | undefined;
  /** @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Told each result as it comes. */
  readonly onResult?: Progress | undefined;
  /** Told what is going to be done, and what it may spend, before anything is. */
  readonly onPlan?: ((announcement: Announcement) => void) | undefined;
  /** Told the id of each check as it begins. */
  readonly onBegin?: ((id: string) => void) | undefined;
  /** Ends the run early: the report then says of the rest that it was not looked at. */
  readonly signal?: AbortSignal | undefined;
}

/** Form of a key of the service. */
const keyForm = /^svc_(live|test)_[\w-]+$/;

/** @throws OptionsError naming what cannot be, and what can. */
export function rejectInvalid({
  baseUrl,
  apiKey,
  keys = {},
  level,
  maxCredits,
}: ContractOptions): void {
  if (!isAddress(baseUrl)) {
    throw new OptionsError(
      `The base URL has to be an http or https address without query and user name, such as https://tryon.example; got "${baseUrl}".`,
    );
  }
  for (const [name, token] of Object.entries({ ...keys, apiKey })) {
    const kind = name === "live" || name === "test" ? `svc_${name}_` : "svc_";
    if (token === undefined || (keyForm.test(token) && token.startsWith(kind))) continue;
    // It is not told what was given: it may be a secret of something else.
    throw new OptionsError(
      `${name === "apiKey" ? "The API key" : `The key "${name}"`} has to begin with ${kind === "svc_" ? "svc_test_ or svc_live_" : kind}, and go on with letters, digits, _ and - alone.`,
    );
  }
  if (level !== undefined && !levels.includes(level)) {
    throw new OptionsError(`The level has to be one of ${levels.join(", ")}; got "${level}".`);
  }
  if (maxCredits !== undefined && !(maxCredits >= 0)) {
    throw new OptionsError(`maxCredits has to be a number from 0 up; got ${String(maxCredits)}.`);
  }
}

function isAddress(text: string): boolean {
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
    // The names are those of the option's type.
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
    "A live key spends money: say so with --allow-live (allowLive: true), or give a test key, which begins with svc_test_.",
  );
}
