import { allChecks } from "./checks/index.ts";
import {
  givenKeys,
  rejectLiveKeys,
  rejectInvalid,
  type ContractOptions,
} from "./contract-options.ts";
import { JobWaits } from "./job-waits.ts";
import { hiddenOptions } from "./open-points.ts";
import { allProbes, deviations } from "./probes/index.ts";
import type { Observation, Profile, Report } from "./report.ts";
import { makePlan, rejectWrongOnly, runPlan, type Suite } from "./run.ts";
import { RunEnd } from "./run-end.ts";
import { SchemaChecks } from "./schema-checks.ts";
import { Budget, costsOf } from "./target/budget.ts";
import { addMissingKeys, findControl } from "./target/control.ts";
import { keyNames, type Keys } from "./target/keys.ts";
import { balanceOf, preflight, TargetProblem } from "./target/preflight.ts";
import { openReceiver } from "./target/receiver.ts";
import { RequestPacer } from "./target/request-pacer.ts";
import { realTime, virtualTime } from "./target/time.ts";
import { isLoopback } from "./wire/guarded-fetch.ts";
import { Redactor } from "./wire/redactor.ts";
import { createSend, type Send } from "./wire/send.ts";

export const wholeSuite: Suite = { checks: allChecks, probes: allProbes };

const defaultMaxCredits = 50;

/**
 * Checks that a deployment keeps the contract, and observes its behavior at the open points of the contract.
 *
 * @throws TargetProblem when the deployment cannot be checked, TypeError for invalid options. Before the first check, also
 * the reason of the signal when it aborts, and a `TimeoutError` after `maxTime`.
 * @example
 * ```ts
 * const report = await runContract({ baseUrl: "https://tryon.example", apiKey: "svc_test_…" });
 * ```
 */
export function runContract(options: ContractOptions): Promise<Report> {
  return runSuite(wholeSuite, options);
}

export async function runSuite(
  suite: Suite,
  options: ContractOptions,
  realClock = realTime,
): Promise<Report> {
  const { apiKey, keys = {}, webhookSecret } = options;
  const redactor = new Redactor(
    apiKey,
    ...Object.values(keys),
    webhookSecret,
    options.controlToken,
  );
  let end: RunEnd | undefined;
  try {
    rejectInvalid(options);
    rejectWrongOnly(suite, options);
    end = new RunEnd(options);
    return await runUntil(end, suite, redactor, options, realClock);
  } catch (error) {
    throw redactor.redactError(end?.signal.aborted === true ? end.signal.reason : error);
  } finally {
    end?.close();
  }
}

async function runUntil(
  end: RunEnd,
  suite: Suite,
  redactor: Redactor,
  options: ContractOptions,
  realClock: typeof realTime,
): Promise<Report> {
  const { level = "safe", webhookUrl } = options;
  const { signal } = end;
  const startedAt = new Date();
  // The kit must also clean up after a run that ends early.
  const sendAlways = createSend(options.baseUrl, options.fetch);
  const send: Send = (request, ...signals) => sendAlways(request, signal, ...signals);
  const given = givenKeys(options);
  const accounts = await preflight({ ...options, signal, send, redactor }, given);
  const control = await findControl(sendAlways, {
    keys: given,
    token: options.controlToken,
    redactor,
    signal,
  });
  // Any server can claim to be a reference server, so only a local one is free of charge.
  const isLocal = isLoopback(options.baseUrl);
  const isLocalMock = control !== undefined && isLocal;
  if (options.allowLive !== true && !isLocalMock) rejectLiveKeys(given);
  const hasTestKey = control !== undefined || given.test !== undefined;
  const plan = makePlan(suite, options, hasTestKey);
  const { live, ...others } = given;
  const liveAccount = accounts.find(([key]) => key === live)?.[1];
  const balance = balanceOf(liveAccount);
  // The kit makes its own live key where the given one has too few credits.
  const isShort = live !== undefined && control !== undefined && balance < plan.credits;
  const used: Keys = isShort ? others : given;
  const keys = await addMissingKeys(used, control);
  if (keys.live === undefined && keys.test === undefined) {
    throw new TargetProblem(
      "wrong-key",
      "The key is missing. Use one that begins with svc_test_ or svc_live_.",
    );
  }
  // Behind a gateway, time limits and caches would not follow a clock that moves.
  const isVirtual = control?.gateway === undefined && options.realTime !== true;
  const time = control && isVirtual ? await virtualTime(control, signal) : realClock(signal);
  const pacer = new RequestPacer(time);
  for (const [{ token }, account] of accounts) pacer.readLimit(token, account);
  const isTestOnly = Object.values(used).every(({ kind }) => kind === "test");
  const free = isLocalMock || (control !== undefined && isTestOnly);
  const allowed = options.maxCredits ?? (free ? Infinity : defaultMaxCredits);
  const budget = new Budget(
    free ? allowed : Math.min(allowed, balance),
    costsOf(liveAccount?.json),
  );
  const credits = { planned: plan.credits, max: budget.max };
  const baseUrl = redactor.redact(options.baseUrl);
  const isReachable = webhookUrl !== undefined || options.fetch !== undefined || isLocal;
  const receiver = isReachable
    ? await openReceiver(time, webhookUrl, options.webhookPort)
    : undefined;
  try {
    options.onPlan?.({
      baseUrl,
      level,
      checks: plan.checks.length,
      probes: plan.probes.length,
      keys: keyNames.flatMap((name) => {
        const key = keys[name];
        return key === undefined ? [] : [{ name, kind: key.kind, made: used[name] === undefined }];
      }),
      credits,
      reference: free,
      virtualTime: time.virtual,
      webhooks: receiver !== undefined,
    });
    const schemaChecks = new SchemaChecks(options.baseUrl, deviations);
    const context = {
      baseUrl: options.baseUrl,
      send,
      time,
      pacer,
      control,
      redactor,
      receiver,
      keys,
      budget,
      schemaChecks,
      jobWaits: new JobWaits(time),
    };
    const results = await runPlan(plan, context, options, end);
    return {
      baseUrl,
      level,
      startedAt: startedAt.toISOString(),
      milliseconds: Date.now() - startedAt.getTime(),
      virtualTime: time.virtual,
      credits: { ...credits, spent: budget.spent },
      ...results,
      profile: profileOf(results.observations),
    };
  } finally {
    await receiver?.close();
  }
}

function profileOf(observations: readonly Observation[]): Profile {
  const observed = observations.filter(({ value }) => value !== "unknown");
  const unknown = observations.filter(({ value }) => value === "unknown");
  return {
    options: Object.fromEntries(observed.map(({ option, value }) => [option, value])),
    unknown: [...unknown.map(({ option }) => option), ...hiddenOptions],
  };
}
