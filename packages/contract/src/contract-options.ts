import { mayReceiveKeys, withoutApiPath } from "@tryon/shared/key-url";
import { maxTimer } from "@tryon/shared/clock";
import {
  accepting,
  anything,
  boolean,
  duration,
  func,
  number,
  oneOf,
  OptionsError,
  readOptions,
  readValue,
  rejectUnknown,
  string,
  wholeNumber,
  type Rule,
} from "@tryon/shared/options";

import { levels, type Level } from "./check.ts";
import type { CheckResult, Observation, Report } from "./report.ts";
import { type Key, type KeyName, type Keys } from "./target/keys.ts";
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
   * Maximum duration of the run in milliseconds, up to 2147483647, or as a string such as `"10m"`. It ends the run early, and the report has the results so
   * far. The kit then has up to 10 s more to remove the faults that a check has added to a reference server.
   * @default unlimited
   */
  readonly maxTime?: number | string | undefined;
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
  readonly credits: Pick<Report["credits"], "planned" | "max">;
  /** If true, the live keys belong to a reference server, and their credits cost nothing. */
  readonly reference: boolean;
  /** If true, the run advances the clock of a reference server instead of waiting. */
  readonly virtualTime: boolean;
  /** If true, webhooks reach the kit. */
  readonly webhooks: boolean;
}

const keyForm = /^svc_(live|test)_[\w-]+$/;

/** Rule of keys. No message has their value, which may be another secret. */
function keyRule(start: string): Rule<string> {
  const begin = start === "svc_" ? "svc_test_ or svc_live_" : start;
  return {
    ...accepting<string>(
      `${begin}, followed by letters, digits, _ and - only`,
      (given) => typeof given === "string" && keyForm.test(given) && given.startsWith(start),
    ),
    isSecret: true,
  };
}

const keyRules = {
  live: keyRule("svc_live_"),
  test: keyRule("svc_test_"),
  stranger: keyRule("svc_"),
  disabled: keyRule("svc_"),
  flagged: keyRule("svc_"),
} satisfies Record<KeyName, Rule>;

const optionRules = {
  baseUrl: {
    ...accepting<string>(
      "an http or https URL without query and user name, such as https://tryon.example",
      (given) => typeof given === "string" && isBaseUrl(given),
    ),
    isRequired: true,
  },
  apiKey: keyRule("svc_"),
  keys: anything<object>(),
  webhookSecret: { ...string(), isSecret: true },
  level: oneOf(...levels),
  maxCredits: number(0),
  allowLive: boolean(),
  allowInsecure: boolean(),
  only: accepting("a list of prefixes of checks", (given) => Array.isArray(given)),
  webhookUrl: string(),
  webhookPort: wholeNumber(0, 65_535),
  controlToken: { ...string(), isSecret: true },
  realTime: boolean(),
  fetch: func(),
  onResult: func(),
  onPlan: func(),
  onBegin: func(),
  signal: anything(),
  bail: boolean(),
  // A longer timer would end at once.
  maxTime: duration(Number.MIN_VALUE, maxTimer),
} satisfies Record<keyof ContractOptions, Rule>;

export function rejectInvalid(options: ContractOptions): void {
  const { baseUrl, apiKey, ...given } = readOptions(
    "an option of runContract",
    options,
    optionRules,
  );
  const keys: Readonly<Record<string, unknown>> = { ...given.keys };
  rejectUnknown("a key of runContract", keys, Object.keys(keyRules));
  for (const [name, rule] of Object.entries(keyRules)) readValue(`keys.${name}`, keys[name], rule);
  const root = withoutApiPath(baseUrl);
  if (root !== undefined) {
    const problem = "ends in the path of the API, which the kit adds";
    throw new OptionsError("baseUrl", problem, `Use ${root}.`);
  }
  const isSafe = given.allowInsecure === true || mayReceiveKeys(new URL(baseUrl));
  if (isSafe || Object.values({ ...keys, apiKey }).every((token) => token === undefined)) return;
  throw new OptionsError(
    "baseUrl",
    `${new URL(baseUrl).origin} is http: others could read the keys`,
    "Use https, or --allow-http (allowInsecure: true).",
  );
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

export function rejectLiveKeys(given: Keys): void {
  if (Object.values(given).every(({ kind }) => kind === "test")) return;
  throw new OptionsError(
    "apiKey",
    "is live, or another key is, which spends money",
    "Use --allow-live (allowLive: true), or a test key, which begins with svc_test_.",
  );
}
