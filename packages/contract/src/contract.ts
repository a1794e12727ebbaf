import { announcementOf, type Announcement } from "./announcement.ts";
import { levels, type Check, type Level, type Probe } from "./check.ts";
import { allChecks } from "./checks/index.ts";
import { OptionsError, TargetProblem } from "./target/problem.ts";
import { makePlan } from "./plan.ts";
import { allProbes } from "./probes/index.ts";
import { profileOf } from "./profile.ts";
import type { Report } from "./report.ts";
import { runPlan, type Progress } from "./run.ts";
import type { Bench, Key, KeyName } from "./session.ts";
import { ShapeWatch } from "./shape-watch.ts";
import { Budget } from "./target/budget.ts";
import { findControl, type Control } from "./target/control.ts";
import { gatherKeys } from "./target/keys.ts";
import { Pace } from "./target/pace.ts";
import { preflight } from "./target/preflight.ts";
import { openReceiver, type Receiver } from "./target/receiver.ts";
import { interruptible, realTime, virtualTime, type Time } from "./target/time.ts";
import { masked } from "./wire/curl.ts";
import { createSend, withSignal } from "./wire/send.ts";

/** What is to be looked at, and how far. */
export interface ContractOptions {
  /** The base address of the deployment. */
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
   * @default 50, and without a limit on a reference server, where they are worth nothing
   */
  readonly maxCredits?: number | undefined;
  /**
   * Whether a live key may be used, which costs money.
   * @default false
   */
  readonly allowLive?: boolean | undefined;
  /** Beginnings of the ids of checks; all are run when there is none. */
  readonly only?: readonly string[] | undefined;
  /** A public address that leads to `webhookPort` of this machine. */
  readonly webhookUrl?: string | undefined;
  /** @default a free port */
  readonly webhookPort?: number | undefined;
  /**
   * Whether to wait for time even where it could be moved.
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

/** The checks and probes that there are. */
export interface Suite {
  readonly checks: readonly Check[];
  readonly probes: readonly Probe[];
}

/** Every check and every probe. */
export const wholeSuite: Suite = { checks: allChecks, probes: allProbes };

const defaultMaxCredits = 50;

/**
 * Looks at a deployment: whether it keeps the contract, and how it behaves where the contract is silent.
 *
 * @throws TargetProblem when there is nothing to look at, TypeError for options that cannot be, and the reason of the
 * signal when that comes before the first check.
 * @example
 * ```ts
 * const report = await runContract({ baseUrl: "https://tryon.example", apiKey: "svc_test_…" });
 * ```
 */
export function runContract(options: ContractOptions): Promise<Report> {
  return runSuite(wholeSuite, options);
}

/** The same with checks of the caller's choice. */
export async function runSuite(suite: Suite, options: ContractOptions): Promise<Report> {
  refuseNonsense(options);
  const { baseUrl, level = "safe", signal } = options;
  const startedAt = new Date();
  const { onResult = ignore, onBegin = ignore } = options;
  // What the kit has put up has to be taken back even when the run is ended early.
  const surely = createSend(baseUrl, options.fetch ?? globalThis.fetch);
  const send = withSignal(surely, signal);
  const given = givenKeys(options);
  const first = given.test ?? given.live;
  const account = await preflight(send, baseUrl, first?.token, signal);
  const control = await findControl(surely, signal);
  refuseLive(given, control, options.allowLive === true);
  const keys = await gatherKeys(given, control);
  if (keys.live === undefined && keys.test === undefined) {
    throw new TargetProblem(
      "wrong-key",
      "No key was given; pass one that begins with svc_test_ or svc_live_.",
    );
  }
  const moved = control !== undefined && options.realTime !== true;
  const time = interruptible(moved ? await virtualTime(control) : realTime, signal);
  const pace = new Pace(time);
  const most = options.maxCredits ?? (control === undefined ? defaultMaxCredits : Infinity);
  const receiver = await receiverFor(options, time);
  try {
    const bench: Bench = {
      baseUrl,
      send,
      time,
      pace,
      control,
      receiver,
      keys,
      budget: new Budget(most),
      watch: new ShapeWatch(),
    };
    if (account !== undefined && first !== undefined) pace.learn(first.token, account);
    const names = new Set(Object.keys(keys) as KeyName[]);
    const plan = makePlan(suite, level, options.only ?? [], names);
    options.onPlan?.(announcementOf({ options, level, plan, most, keys, given, bench }));
    const tell = { begin: onBegin, result: onResult };
    const found = await runPlan(plan, bench, level, tell, signal);
    return {
      baseUrl,
      level,
      startedAt: startedAt.toISOString(),
      milliseconds: Date.now() - startedAt.getTime(),
      virtualTime: time.virtual,
      complete: signal?.aborted !== true,
      credits: { planned: plan.credits, most, spent: bench.budget.spent },
      ...found,
      profile: profileOf(found.observations),
    };
  } finally {
    await receiver?.close();
  }
}

const ignore = (): void => undefined;

/** What a key of the service looks like; nothing else can stand in a header anyway. */
const keyForm = /^svc_(live|test)_[\w-]+$/;

/** @throws OptionsError naming what cannot be, and what can. */
function refuseNonsense({ baseUrl, apiKey, keys = {}, level, maxCredits }: ContractOptions): void {
  if (!isAddress(baseUrl)) {
    throw new OptionsError(
      `The base URL has to be an http or https address without query and user name, such as https://tryon.example; got "${masked(baseUrl)}".`,
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

function givenKeys({
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
function refuseLive(
  given: Partial<Record<KeyName, Key>>,
  control: Control | undefined,
  allowed: boolean,
): void {
  if (allowed || control !== undefined) return;
  const live = Object.values(given).some(({ kind }) => kind === "live");
  if (!live) return;
  throw new OptionsError(
    "A live key spends money: say so with --allow-live (allowLive: true), or give a test key, which begins with svc_test_.",
  );
}

/** A deployment on this machine reaches a port of its own; another one only a public address. */
async function receiverFor(
  { baseUrl, webhookUrl, webhookPort, fetch }: ContractOptions,
  time: Time,
): Promise<Receiver | undefined> {
  const near =
    fetch !== undefined || /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(baseUrl).hostname);
  if (webhookUrl === undefined && !near) return undefined;
  return openReceiver(time, { publicUrl: webhookUrl, port: webhookPort });
}
