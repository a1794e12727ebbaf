import { announcementOf } from "./announcement.ts";
import type { Check, Probe } from "./check.ts";
import { allChecks } from "./checks/index.ts";
import {
  givenKeys,
  rejectLiveKeys,
  rejectInvalid,
  type ContractOptions,
} from "./contract-options.ts";
import { makePlan } from "./plan.ts";
import { allProbes } from "./probes/index.ts";
import { profileOf } from "./profile.ts";
import type { Report } from "./report.ts";
import { runPlan } from "./run.ts";
import { type CheckContext } from "./check-context.ts";
import { SchemaChecks } from "./schema-checks.ts";
import { Budget } from "./target/budget.ts";
import { addMissingKeys, findControl } from "./target/control.ts";
import { RequestPacer } from "./target/request-pacer.ts";
import { balanceOf, preflight } from "./target/preflight.ts";
import { TargetProblem } from "./target/problem.ts";
import { openReceiver, type Receiver } from "./target/receiver.ts";
import { interruptible, realTime, virtualTime, type Time } from "./target/time.ts";
import { isLoopback } from "./wire/ip-zones.ts";
import { Redactor } from "./wire/redactor.ts";
import { createSend, withSignal } from "./wire/send.ts";
import { keyNames, type KeyName } from "./target/keys.ts";

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
  const { apiKey, keys = {}, webhookSecret } = options;
  const redactor = new Redactor(apiKey, ...Object.values(keys), webhookSecret);
  try {
    return await run(suite, redactor, options);
  } catch (error) {
    throw redactor.redactError(error);
  }
}

async function run(suite: Suite, redactor: Redactor, options: ContractOptions): Promise<Report> {
  rejectInvalid(options);
  const { baseUrl, level = "safe", signal } = options;
  const startedAt = new Date();
  const { onResult = ignore, onBegin = ignore } = options;
  // What the kit has put up has to be taken back even when the run is ended early.
  const surely = createSend(baseUrl, options.fetch);
  const send = withSignal(surely, signal);
  const given = givenKeys(options);
  const accounts = await preflight({ send, baseUrl, redactor, signal }, given);
  const control = await findControl(surely, { given, redactor, signal });
  const reference = control !== undefined;
  // Any server can say that it is a reference server.
  const nearby = reference && isLoopback(baseUrl);
  rejectLiveKeys(given, options.allowLive === true || nearby);
  const names = new Set(reference ? keyNames : (Object.keys(given) as KeyName[]));
  const plan = makePlan(suite, level, options.only ?? [], names);
  const balance = balanceOf(accounts.get("live"));
  const { live, ...others } = given;
  // A key that would run dry on the way is of no use where one can be made that does not.
  const lasting = live !== undefined && reference && balance < plan.credits ? others : given;
  const keys = await addMissingKeys(lasting, control);
  if (keys.live === undefined && keys.test === undefined) {
    throw new TargetProblem(
      "wrong-key",
      "No key was given; pass one that begins with svc_test_ or svc_live_.",
    );
  }
  const moved = control !== undefined && options.realTime !== true;
  const time = interruptible(moved ? await virtualTime(control) : realTime, signal);
  const pace = new RequestPacer(time);
  const free = nearby || (reference && Object.values(lasting).every(({ kind }) => kind === "test"));
  const allowed = options.maxCredits ?? (free ? Infinity : defaultMaxCredits);
  const most = free ? allowed : Math.min(allowed, balance);
  const receiver = await receiverFor(options, time);
  try {
    const bench: CheckContext = {
      baseUrl,
      send,
      time,
      pace,
      control,
      redactor,
      receiver,
      keys,
      budget: new Budget(most),
      watch: new SchemaChecks(baseUrl),
    };
    for (const [name, account] of accounts) pace.learn(given[name]?.token ?? "", account);
    options.onPlan?.(
      announcementOf({ options, level, plan, most, free, keys, given: lasting, bench }),
    );
    const tell = { begin: onBegin, result: onResult };
    const found = await runPlan(plan, bench, level, tell, signal);
    return {
      baseUrl: redactor.redact(baseUrl),
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

/** A deployment on this machine reaches a port of its own; another one only a public address. */
async function receiverFor(
  { baseUrl, webhookUrl, webhookPort, fetch }: ContractOptions,
  time: Time,
): Promise<Receiver | undefined> {
  const near = fetch !== undefined || isLoopback(baseUrl);
  if (webhookUrl === undefined && !near) return undefined;
  return openReceiver(time, { publicUrl: webhookUrl, port: webhookPort });
}
