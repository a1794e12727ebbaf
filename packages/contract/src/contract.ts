import { createAnnouncement } from "./announcement.ts";
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

/** Checks and probes of a run. */
export interface Suite {
  readonly checks: readonly Check[];
  readonly probes: readonly Probe[];
}

/** Every check and every probe. */
export const wholeSuite: Suite = { checks: allChecks, probes: allProbes };

const defaultMaxCredits = 50;

/**
 * Checks that a deployment keeps the contract, and observes its behavior at the open points of the contract.
 *
 * @throws TargetProblem when the deployment cannot be checked, TypeError for invalid options, and the reason of the signal
 * if it aborts before the first check.
 * @example
 * ```ts
 * const report = await runContract({ baseUrl: "https://tryon.example", apiKey: "svc_test_…" });
 * ```
 */
export function runContract(options: ContractOptions): Promise<Report> {
  return runSuite(wholeSuite, options);
}

/** Runs other checks than those of the kit. */
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
  // The kit must also clean up after a run that ends early.
  const sendAlways = createSend(baseUrl, options.fetch);
  const send = withSignal(sendAlways, signal);
  const given = givenKeys(options);
  const accounts = await preflight({ send, baseUrl, redactor, signal }, given);
  const control = await findControl(sendAlways, { given, redactor, signal });
  // Any server can claim to be a reference server, so only a local one is free of charge.
  const isLocalMock = control !== undefined && isLoopback(baseUrl);
  rejectLiveKeys(given, options.allowLive === true || isLocalMock);
  // The names are those of the type.
  const givenNames = Object.keys(given) as KeyName[];
  const names = new Set(control === undefined ? givenNames : keyNames);
  const plan = makePlan(suite, level, options.only ?? [], names);
  const balance = balanceOf(accounts.get("live"));
  const { live, ...others } = given;
  // The kit makes its own live key where the given one has too few credits.
  const isShort = live !== undefined && control !== undefined && balance < plan.credits;
  const used = isShort ? others : given;
  const keys = await addMissingKeys(used, control);
  if (keys.live === undefined && keys.test === undefined) {
    throw new TargetProblem(
      "wrong-key",
      "The key is missing. Use one that begins with svc_test_ or svc_live_.",
    );
  }
  const isVirtual = control !== undefined && options.realTime !== true;
  const time = interruptible(isVirtual ? await virtualTime(control) : realTime, signal);
  const pacer = new RequestPacer(time);
  const isTestOnly = Object.values(used).every(({ kind }) => kind === "test");
  const free = isLocalMock || (control !== undefined && isTestOnly);
  const allowed = options.maxCredits ?? (free ? Infinity : defaultMaxCredits);
  const max = free ? allowed : Math.min(allowed, balance);
  const receiver = await receiverFor(options, time);
  try {
    const context: CheckContext = {
      baseUrl,
      send,
      time,
      pacer,
      control,
      redactor,
      receiver,
      keys,
      budget: new Budget(max),
      schemaChecks: new SchemaChecks(baseUrl),
    };
    for (const [name, account] of accounts) pacer.readLimit(given[name]?.token ?? "", account);
    options.onPlan?.(
      createAnnouncement({ options, level, plan, max, free, keys, given: used, context }),
    );
    const listener = { begin: onBegin, result: onResult };
    const results = await runPlan(plan, context, level, listener, signal);
    return {
      baseUrl: redactor.redact(baseUrl),
      level,
      startedAt: startedAt.toISOString(),
      milliseconds: Date.now() - startedAt.getTime(),
      virtualTime: time.virtual,
      complete: signal?.aborted !== true,
      credits: { planned: plan.credits, max, spent: context.budget.spent },
      ...results,
      profile: profileOf(results.observations),
    };
  } finally {
    await receiver?.close();
  }
}

const ignore = (): void => undefined;

/** Opens a receiver if the deployment can reach it: on the same machine, or by a public URL. */
async function receiverFor(
  { baseUrl, webhookUrl, webhookPort, fetch }: ContractOptions,
  time: Time,
): Promise<Receiver | undefined> {
  const isLocal = fetch !== undefined || isLoopback(baseUrl);
  if (webhookUrl === undefined && !isLocal) return undefined;
  return openReceiver(time, { publicUrl: webhookUrl, port: webhookPort });
}
