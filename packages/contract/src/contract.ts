import type { Level } from "./check.ts";
import { allChecks } from "./checks/index.ts";
import { TargetProblem } from "./target/problem.ts";
import { makePlan, type Plan } from "./plan.ts";
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
import { realTime, virtualTime } from "./target/time.ts";
import { createSend } from "./wire/send.ts";

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
   * The most credits that may be spend on live keys; what would go over it is left out.
   * @default 50
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
  /** Told what is going to be done before anything is. */
  readonly onPlan?: ((plan: Plan, most: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const defaultMaxCredits = 50;

/**
 * Looks at a deployment: whether it keeps the contract, and how it behaves where the contract is silent.
 *
 * @throws TargetProblem when there is nothing to look at, TypeError for options that cannot be.
 * @example
 * ```ts
 * const report = await runContract({ baseUrl: "https://tryon.example", apiKey: "svc_test_…" });
 * ```
 */
export async function runContract(options: ContractOptions): Promise<Report> {
  const { baseUrl, level = "safe", signal } = options;
  const startedAt = new Date();
  const send = createSend(baseUrl, options.fetch ?? globalThis.fetch);
  const given = givenKeys(options);
  const first = given.test ?? given.live;
  const account = await preflight(send, baseUrl, first?.token);
  const control = await findControl(send);
  refuseLive(given, control, options.allowLive === true);
  const keys = await gatherKeys(given, control);
  if (keys.live === undefined && keys.test === undefined) {
    throw new TargetProblem(
      "wrong-key",
      "No key was given; pass one that begins with svc_test_ or svc_live_.",
    );
  }
  const time =
    control !== undefined && options.realTime !== true ? await virtualTime(control) : realTime;
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
    const plan = makePlan(
      { checks: allChecks, probes: allProbes },
      level,
      options.only ?? [],
      names,
    );
    options.onPlan?.(plan, most);
    const found = await runPlan(plan, bench, level, options.onResult ?? (() => undefined), signal);
    return {
      baseUrl,
      level,
      startedAt: startedAt.toISOString(),
      milliseconds: Date.now() - startedAt.getTime(),
      virtualTime: time.virtual,
      credits: { planned: plan.credits, most, spent: bench.budget.spent },
      ...found,
      profile: profileOf(found.observations),
    };
  } finally {
    await receiver?.close();
  }
}

function givenKeys({
  apiKey,
  keys = {},
  webhookSecret,
}: ContractOptions): Partial<Record<KeyName, Key>> {
  const all: Partial<Record<KeyName, Key>> = {};
  for (const [name, token] of Object.entries(keys)) {
    // The names are those of the option's type.
    all[name as KeyName] = keyOf(token, undefined);
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

/** @throws TypeError for a live key that may not be used. */
function refuseLive(
  { live }: Partial<Record<KeyName, Key>>,
  control: Control | undefined,
  allowed: boolean,
): void {
  if (live === undefined || allowed || control !== undefined) return;
  throw new TypeError(
    "A live key spends money: say so with --allow-live (allowLive: true), or give a test key, which begins with svc_test_.",
  );
}

/** A deployment on this machine reaches a port of its own; another one only a public address. */
async function receiverFor(
  { baseUrl, webhookUrl, webhookPort, fetch }: ContractOptions,
  time: typeof realTime,
): Promise<Receiver | undefined> {
  const near =
    fetch !== undefined || /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(baseUrl).hostname);
  if (webhookUrl === undefined && !near) return undefined;
  return openReceiver(time, { publicUrl: webhookUrl, port: webhookPort });
}
