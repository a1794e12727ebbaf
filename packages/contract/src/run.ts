import type { Check, Level, OptionValue, Probe } from "./check.ts";
import type { CheckContext } from "./check-context.ts";
import { shapeRules } from "./checks/index.ts";
import { CheckFailure, SkipCheck } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import type { CheckResult, Observation } from "./report.ts";
import { Session } from "./session.ts";
import type { Deviation, Shape } from "./schema-checks.ts";
import { curlLine } from "./wire/curl.ts";
import { NoResponse } from "./wire/send.ts";

/**
 * Called with each result.
 *
 * @inline
 */
export type Progress = (result: CheckResult | Observation) => void;

/** Callbacks of a run. */
export interface Listener {
  readonly begin: (id: string) => void;
  readonly result: Progress;
}

/** Runs checks and probes one after another, so that the deployment has little load. */
export async function runPlan(
  plan: Plan,
  context: CheckContext,
  level: Level,
  listener: Listener,
  signal?: AbortSignal,
): Promise<{ checks: readonly CheckResult[]; observations: readonly Observation[] }> {
  const checks: CheckResult[] = [];
  const observed: Observed[] = [];
  const add = (result: CheckResult): void => {
    checks.push(result);
    listener.result(result);
  };
  for (const check of plan.checks) {
    listener.begin(check.id);
    add((await runOne(check, context, check.run, signal)).result);
  }
  for (const probe of plan.probes) {
    listener.begin(probe.id);
    const { result, value } = await runOne(probe, context, probe.observe, signal);
    if (result.status === "failed") add(result);
    observed.push({ probe, value, message: result.message });
  }
  const { shapes, explained } = context.schemaChecks;
  for (const shape of shapes) add(shapeResult(shape, context, level));
  const observations = observed.map((one) => observation(one, explained));
  observations.forEach(listener.result);
  return { checks, observations };
}

interface Observed {
  readonly probe: Probe;
  readonly value: OptionValue | undefined;
  readonly message: string | undefined;
}

async function runOne<Value>(
  { id, title, rules, level, on }: Check | Probe,
  context: CheckContext,
  work: (session: Session) => Promise<Value>,
  signal?: AbortSignal,
): Promise<{ result: CheckResult; value?: Value }> {
  const from = performance.now();
  const { redactor } = context;
  let session: Session | undefined;
  const result = (status: CheckResult["status"], message?: string, curl?: string): CheckResult => ({
    id,
    title,
    rules,
    level,
    status,
    message: message === undefined ? undefined : redactor.redact(message),
    curl,
    credits: session?.spent ?? 0,
    milliseconds: Math.round(performance.now() - from),
  });
  const cut = { result: result("not-observable", "The run ended before this check.") };
  const ended = (): boolean => signal?.aborted === true;
  if (ended()) return cut;
  try {
    session = new Session(context, on);
    const value = await work(session);
    return { result: result("passed"), value };
  } catch (error) {
    // The end of a run makes requests fail.
    if (ended()) return cut;
    if (error instanceof SkipCheck) return { result: result("not-observable", error.message) };
    if (error instanceof CheckFailure || error instanceof NoResponse) {
      const request = error instanceof NoResponse ? error.request : error.response?.request;
      const curl = request === undefined ? undefined : curlLine(request, redactor);
      return { result: result("failed", error.message, curl) };
    }
    throw new Error(`The check ${id} threw an error. This says nothing about the deployment.`, {
      cause: error,
    });
  } finally {
    await session?.cleanUp();
  }
}

function shapeResult(
  { id, operation, status, count, problems }: Shape,
  { redactor }: CheckContext,
  level: Level,
): CheckResult {
  const [first] = problems;
  const text = problems.map((problem) => problem.text).join("; ");
  return {
    id,
    title: `Has a response with ${status} to ${operation} as in spec/openapi.json`,
    rules: shapeRules(operation, status),
    level,
    status: count === 0 ? "not-observable" : first === undefined ? "passed" : "failed",
    message:
      count === 0
        ? "No request of this run had this response."
        : redactor.redact(text) || undefined,
    curl: first === undefined ? undefined : curlLine(first.request, redactor),
    credits: 0,
    milliseconds: 0,
  };
}

function observation(
  { probe: { id, option, title, rules }, value, message }: Observed,
  explained: readonly Deviation[],
): Observation {
  return {
    id,
    option,
    title,
    rules,
    value: value ?? "unknown",
    message: value === undefined ? (message ?? "This run could not tell.") : undefined,
    deviations: explained.filter((one) => one.option === option).map(({ what }) => what),
  };
}
