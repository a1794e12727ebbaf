import { likelyName } from "@tryon/shared/known-names";
import { OptionsError, show } from "@tryon/shared/options";

import { areOpen, levels, type Check, type Probe } from "./check.ts";
import { observePoint } from "./observe/observe-point.ts";
import { shapeRules } from "./checks/index.ts";
import type { ContractOptions } from "./contract-options.ts";
import { CheckFailure, SkipCheck } from "./outcome.ts";
import type { CheckResult, EarlyEnd, Observation } from "./report.ts";
import type { RunEnd } from "./run-end.ts";
import { openSession, type Session } from "./session.ts";
import type { CheckContext } from "./session/context.ts";
import type { Shape } from "./schema-checks.ts";
import type { Redactor } from "./wire/redactor.ts";
import type { SentRequest } from "./wire/response.ts";
import { sourceOf } from "./wire/gateway.ts";
import { NoResponse } from "./wire/send.ts";

export interface Suite {
  readonly checks: readonly Check[];
  readonly probes: readonly Probe[];
}

const maxBodyLength = 2_000;

/** @throws OptionsError for a prefix of `only` with which no check begins, and if no selected check has the level. */
export function rejectWrongOnly(suite: Suite, options: ContractOptions): void {
  const { level = "safe", only = [] } = options;
  const ids = [...suite.checks, ...suite.probes].map(({ id }) => id);
  const unknown = only.find((start) => !ids.some((id) => id.startsWith(start)));
  if (unknown !== undefined) {
    const areas = [...new Set(ids.map((id) => id.split(".", 1)[0] ?? id))];
    const likely = likelyName(unknown, [...areas, ...ids]);
    const hint = likely ? `Did you mean ${likely}?` : `Checks begin with: ${areas.join(", ")}.`;
    throw new OptionsError("only", `has ${show(unknown)}, with which no check begins`, hint);
  }
  const { checks, probes } = makePlan(suite, options, true);
  if (only.length === 0 || checks.length + probes.length > 0) return;
  throw new OptionsError("only", `has no check that runs at {level} ${level}`, "Use full.");
}

/**
 * Selects the checks and probes of a run, and adds up the maximum credits that they take from a live key.
 *
 * @param hasTestKey if true, checks that take any key cost nothing.
 */
export function makePlan(
  suite: Suite,
  { level = "safe", only = [] }: ContractOptions,
  hasTestKey: boolean,
): Suite & { readonly credits: number } {
  const wanted = (check: Pick<Check, "id" | "level">): boolean =>
    levels.indexOf(check.level) <= levels.indexOf(level) &&
    (only.length === 0 || only.some((start) => check.id.startsWith(start)));
  const checks = suite.checks.filter(wanted);
  const probes = suite.probes.filter(wanted);
  const credits = [...checks, ...probes]
    .filter(({ on }) => on === "live" || (on === "any" && !hasTestKey))
    .reduce((sum, check) => sum + check.credits, 0);
  return { checks, probes, credits };
}

export async function runPlan(
  plan: Suite,
  context: CheckContext,
  { level = "safe", only = [], onBegin, onResult }: ContractOptions,
  end: RunEnd,
): Promise<{
  checks: readonly CheckResult[];
  observations: readonly Observation[];
  endedEarly: EarlyEnd | undefined;
}> {
  const { redactor, schemaChecks } = context;
  const checks: CheckResult[] = [];
  const observed: Observation[] = [];
  const notRun: string[] = [];
  const add = (result: CheckResult): void => {
    checks.push(result);
    onResult?.(result);
  };
  const runNext = async <Value>(
    check: Check | Probe,
    work: (session: Session) => Promise<Value>,
  ): Promise<{ result: CheckResult; value?: Value }> => {
    if (!end.signal.aborted) onBegin?.(check.id);
    const outcome = await runOne(check, context, work, end.signal);
    if (outcome.isCut === true) notRun.push(check.id);
    else if (outcome.result.status === "failed") end.failed(check.id);
    const shape = schemaChecks.shapes.find(
      ({ problems, operation, status }) =>
        problems.length > 0 && !areOpen(shapeRules(operation, status)),
    );
    if (shape !== undefined) end.failed(shape.id);
    return outcome;
  };
  for (const check of plan.checks) add((await runNext(check, check.run)).result);
  for (const probe of plan.probes) {
    const { id, option, title, rules } = probe;
    const observe = (session: Session) => observePoint(probe, session);
    const { result, value = "unknown" } = await runNext(probe, observe);
    if (result.status === "failed") add(result);
    const message = value === "unknown" ? result.message : undefined;
    observed.push({ id, option, title, rules, value, message, deviations: [] });
  }
  const { shapes, explained } = schemaChecks;
  for (const shape of shapes) {
    // A run of chosen checks leaves most responses out on purpose.
    if (shape.count === 0 && only.length > 0) continue;
    add({ ...shapeResult(shape, redactor), level, credits: 0, milliseconds: 0 });
  }
  const observations = observed.map((observation) => {
    const deviation = explained.get(observation.option);
    return { ...observation, deviations: deviation === undefined ? [] : [deviation] };
  });
  for (const observation of observations) onResult?.(observation);
  // An end during or after the last check cuts nothing off.
  const early = notRun.length > 0 ? end.reason : undefined;
  return { checks, observations, endedEarly: early && { ...early, notRun } };
}

async function runOne<Value>(
  { id, title, rules, level, on, ownKey }: Check | Probe,
  context: CheckContext,
  work: (session: Session) => Promise<Value>,
  signal: AbortSignal,
): Promise<{ result: CheckResult; value?: Value; isCut?: boolean }> {
  const from = performance.now();
  const { redactor } = context;
  let session: Session | undefined;
  const result = (status: CheckResult["status"], message?: string, curl?: string): CheckResult => ({
    id,
    title,
    rules,
    level,
    status: statusFor(rules, status),
    message: message === undefined ? undefined : redactor.redact(message),
    curl,
    credits: session?.http.spent ?? 0,
    milliseconds: Math.round(performance.now() - from),
  });
  try {
    signal.throwIfAborted();
    session = openSession(context, on);
    if (ownKey === true) {
      // More credits and requests than a check uses.
      const { kind: mode } = session.keys.own;
      await session.keys.useNew({ mode, credits: 1_000, rate_limit_per_min: 1_000_000 });
    }
    const value = await work(session);
    return { result: result("passed"), value };
  } catch (error) {
    // The end of a run makes requests fail.
    if (signal.aborted) {
      return { result: result("not-observable", "The run ended before this check."), isCut: true };
    }
    if (error instanceof SkipCheck) return { result: result("not-observable", error.message) };
    if (error instanceof CheckFailure || error instanceof NoResponse) {
      const isLost = error instanceof NoResponse;
      const request = isLost ? error.request : error.response?.request;
      const source = isLost ? "" : sourceOf(error.response);
      const message = source === "" ? error.message : error.message.replace(/\.?$/, `${source}.`);
      return { result: result("failed", message, curlLine(request, redactor)) };
    }
    throw new Error(`The check ${id} threw an error. This says nothing about the deployment.`, {
      cause: error,
    });
  } finally {
    await session?.http.cleanUp().catch((error: unknown) => {
      // A deployment that no longer responds must not prevent the report.
      if (!signal.aborted) throw error;
    });
  }
}

/** Status of a check: it neither passes nor fails where the document leaves open what it requires. */
function statusFor(rules: readonly string[], status: CheckResult["status"]): CheckResult["status"] {
  return status !== "not-observable" && areOpen(rules) ? "observed" : status;
}

function shapeResult({ id, operation, status, count, problems }: Shape, redactor: Redactor) {
  const rules = shapeRules(operation, status);
  const [first] = problems;
  const texts = redactor.redact(problems.map(({ text }) => text).join("; "));
  return {
    id,
    title: `Has a response with ${status} to ${operation} as in spec/openapi.json`,
    rules,
    status: statusFor(
      rules,
      count === 0 ? "not-observable" : first === undefined ? "passed" : "failed",
    ),
    message: count === 0 ? "No request of this run had this response." : texts || undefined,
    curl: curlLine(first?.request, redactor),
  } as const;
}

function curlLine(request: SentRequest | undefined, redactor: Redactor): string | undefined {
  if (request === undefined) return undefined;
  const { method, url, headers, body } = request;
  // After -X HEAD, curl would wait for a body.
  const parts = ["curl", method === "HEAD" ? "-I" : "-i"];
  if (method !== "GET" && method !== "HEAD") parts.push("-X", method);
  parts.push(quoted(redactor.redact(url)));
  for (const [name, value] of Object.entries(headers)) {
    parts.push("-H", quoted(redactor.redact(`${name}: ${value}`)));
  }
  if (body !== undefined) parts.push("-d", quoted(redactor.redactStart(body, maxBodyLength)));
  return parts.join(" ");
}

function quoted(text: string): string {
  return /^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
