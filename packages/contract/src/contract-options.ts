import { mayReceiveKeys, withoutApiPath } from "@tryon/command-line/key-url";
import { rejectUnknownNames } from "@tryon/command-line/known-names";

import { levels, type Level } from "./check.ts";
import type { CheckResult, Observation } from "./report.ts";
import { keyNames, type Key, type KeyName, type Keys } from "./target/keys.ts";
import { isBaseUrl } from "./wire/base-url.ts";

/** Options of `runContract`. */
export interface ContractOptions {
  /** Base URL of the deployment. With a key, it must be https, unless it is this machine or `allowInsecure` is set. */
  readonly baseUrl: string;
  /** Key of the requests. A reference server needs none, because the kit makes keys there. */
  readonly apiKey?: string | undefined;
  /** Further keys. A check whose key is missing does not run. */
  readonly keys?: Readonly<Partial<Record<KeyName, string | undefined>>> | undefined;
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
  /**
   * If true, sends keys over http to another machine, where others can read them.
   * @default false
   */
  readonly allowInsecure?: boolean | undefined;
  /** Prefixes of the ids of checks. Without them all checks run. */
  readonly only?: readonly string[] | undefined;
  /** Public URL that leads to `webhookPort` of this machine. */
  readonly webhookUrl?: string | undefined;
  /** @default a free port */
  readonly webhookPort?: number | undefined;
  /** Token of the control API of a reference server. */
  readonly controlToken?: string | undefined;
  /**
   * If true, waits in real time, even if a reference server can advance its clock.
   * @default false
   */
  readonly realTime?: boolean | undefined;
  /** @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called with each result. */
  readonly onResult?: ((result: CheckResult | Observation) => void) | undefined;
  /** Called with the plan and its maximum cost before the first check. */
  readonly onPlan?: ((announcement: Announcement) => void) | undefined;
  /** Called with the id of each check when it starts. */
  readonly onBegin?: ((id: string) => void) | undefined;
  /** Ends the run early. The remaining checks are not observable. */
  readonly signal?: AbortSignal | undefined;
  /**
   * If true, ends the run after the first failed check. The remaining checks are not observable.
   * @default false
   */
  readonly bail?: boolean | undefined;
  /**
   * Maximum duration of the run in milliseconds, up to 2147483647. It ends the run early, and the report has the results so
   * far. The kit then has up to 10 s more to remove the faults that a check has added to a reference server.
   * @default unlimited
   */
  readonly maxTime?: number | undefined;
}

/** Purpose and kind of a key of a run. */
export interface KeyUse {
  /** Purpose of the key in the run. */
  readonly name: KeyName;
  /** `live` keys spend credits, `test` keys do not. */
  readonly kind: "live" | "test";
  /** If true, the kit made it on a reference server. */
  readonly made: boolean;
}

/** Plan of a run, reported before its first check. */
export interface Announcement {
  /** Base URL of the deployment, with keys redacted. */
  readonly baseUrl: string;
  /** Level that selects the checks. */
  readonly level: Level;
  /** Number of selected checks. */
  readonly checks: number;
  /** Number of selected probes, each of which observes one open point. */
  readonly probes: number;
  /** Keys that the run uses, including those made by the kit. */
  readonly keys: readonly KeyUse[];
  /** Maximum cost of the run. */
  readonly credits: {
    /** Credits that the selected checks take from the live key at max. */
    readonly planned: number;
    /** Maximum for the whole run. Checks that would exceed it do not run. */
    readonly max: number;
  };
  /** If true, the live keys belong to a reference server, and their credits cost nothing. */
  readonly reference: boolean;
  /** If true, the run advances the clock of a reference server instead of waiting. */
  readonly virtualTime: boolean;
  /** If true, webhooks reach the kit. */
  readonly webhooks: boolean;
}

/** Invalid options. The message has the invalid option and the valid values. */
export class OptionsError extends TypeError {
  override readonly name = "OptionsError";
}

const optionNames = Object.keys({
  baseUrl: true,
  apiKey: true,
  keys: true,
  webhookSecret: true,
  level: true,
  maxCredits: true,
  allowLive: true,
  allowInsecure: true,
  only: true,
  webhookUrl: true,
  webhookPort: true,
  controlToken: true,
  realTime: true,
  fetch: true,
  onResult: true,
  onPlan: true,
  onBegin: true,
  signal: true,
  bail: true,
  maxTime: true,
} satisfies Record<keyof ContractOptions, true>);

/** Form of a key of the service. */
const keyForm = /^svc_(live|test)_[\w-]+$/;

/** @throws OptionsError with the invalid option and the valid values. */
export function rejectInvalid(options: ContractOptions): void {
  const { baseUrl, apiKey, keys = {}, level, maxCredits, maxTime } = options;
  try {
    rejectUnknownNames(options, optionNames, "Unknown option", "the options are");
    rejectUnknownNames(keys, keyNames, "Unknown key", "the keys are");
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
  if (!isBaseUrl(baseUrl)) {
    throw new OptionsError(
      `The base URL must be an http or https URL without query and user name, such as https://tryon.example; got "${baseUrl}".`,
    );
  }
  const root = withoutApiPath(baseUrl);
  if (root !== undefined) {
    throw new OptionsError(
      `The base URL ends in the path of the API, which the kit adds. Use ${root}.`,
    );
  }
  const given = Object.entries({ ...keys, apiKey });
  const isSafe = options.allowInsecure === true || mayReceiveKeys(new URL(baseUrl));
  if (!isSafe && given.some(([, token]) => token !== undefined)) {
    throw new OptionsError(
      `${new URL(baseUrl).origin} is http: others could read the keys. Use https, or --allow-http (allowInsecure: true).`,
    );
  }
  for (const [name, token] of given) {
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
  // A longer timer would end at once.
  if (maxTime !== undefined && !(maxTime > 0 && maxTime < 2 ** 31)) {
    throw new OptionsError(
      `maxTime (--max-time) must be above 0 and at most 2147483647 milliseconds; got ${String(maxTime)}.`,
    );
  }
}

export function givenKeys({ apiKey, keys = {}, webhookSecret }: ContractOptions): Keys {
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

/** @throws OptionsError for a live key. */
export function rejectLiveKeys(given: Keys): void {
  if (Object.values(given).every(({ kind }) => kind === "test")) return;
  throw new OptionsError(
    "A live key spends money. Use --allow-live (allowLive: true), or a test key, which begins with svc_test_.",
  );
}
