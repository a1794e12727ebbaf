import type { Check, Level, OptionValue, Probe } from "./check.ts";
import type { Deviation } from "./deviations.ts";
import { CheckFailure, SkipCheck } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import type { CheckResult, Observation } from "./report.ts";
import { Session } from "./session.ts";
import type { CheckContext } from "./check-context.ts";
import { shapeRules } from "./checks/index.ts";
import type { Shape } from "./schema-checks.ts";
import { curlLine } from "./wire/curl.ts";
import { NoResponse } from "./wire/send.ts";

/**
 * What is told while a run goes on.
 *
 * @inline
 */
export type Progress = (result: CheckResult | Observation) => void;

/** Who is told that a check begins, and what came of it. */
export interface Listener {
  readonly begin: (id: string) => void;
  readonly result: Progress;
}

/** Runs checks and probes one after another: a deployment is never hammered. */
export async function runPlan(
  plan: Plan,
  bench: CheckContext,
  level: Level,
  tell: Listener,
  signal?: AbortSignal,
): Promise<{ checks: readonly CheckResult[]; observations: readonly Observation[] }> {
  const checks: CheckResult[] = [];
  const seen: Seen[] = [];
  const note = (result: CheckResult): void => {
    checks.push(result);
    tell.result(result);
  };
  for (const check of plan.checks) {
    tell.begin(check.id);
    note((await runOne(check, bench, check.run, signal)).result);
  }
  for (const probe of plan.probes) {
    tell.begin(probe.id);
    const { result, value } = await runOne(probe, bench, probe.observe, signal);
    if (result.status === "broken") note(result);
    seen.push({ probe, value, message: result.message });
  }
  for (const shape of bench.watch.shapes) note(shapeResult(shape, bench, level));
  const observations = seen.map((one) => observation(one, bench.watch.explained));
  observations.forEach(tell.result);
  return { checks, observations };
}

interface Seen {
  readonly probe: Probe;
  readonly value: OptionValue | undefined;
  readonly message: string | undefined;
}

async function runOne<Value>(
  { id, title, rules, level, on }: Check | Probe,
  bench: CheckContext,
  work: (session: Session) => Promise<Value>,
  signal?: AbortSignal,
): Promise<{ result: CheckResult; value: Value | undefined }> {
  const from = performance.now();
  let session: Session | undefined;
  const result = (status: CheckResult["status"], message?: string, curl?: string): CheckResult => ({
    id,
    title,
    rules,
    level,
    status,
    message: message === undefined ? undefined : bench.redactor.redact(message),
    curl,
    credits: session?.spent ?? 0,
    milliseconds: Math.round(performance.now() - from),
  });
  const cut = { result: result("skipped", "The run was ended before this."), value: undefined };
  const ended = (): boolean => signal?.aborted === true;
  if (ended()) return cut;
  try {
    session = new Session(bench, on);
    const value = await work(session);
    return { result: result("kept"), value };
  } catch (error) {
    // What fails because the run was ended says nothing of the deployment.
    if (ended()) return cut;
    if (error instanceof SkipCheck)
      return { result: result("skipped", error.message), value: undefined };
    if (error instanceof CheckFailure) {
      const { answer } = error;
      const curl = answer === undefined ? undefined : curlLine(answer.call, bench.redactor);
      return { result: result("broken", error.message, curl), value: undefined };
    }
    if (error instanceof NoResponse) {
      const curl = curlLine(error.call, bench.redactor);
      return { result: result("broken", error.message, curl), value: undefined };
    }
    throw new Error(`The check ${id} failed in itself, which says nothing of the deployment.`, {
      cause: error,
    });
  } finally {
    await session?.cleanUp();
  }
}

function shapeResult(
  { id, operation, status, seen, problems }: Shape,
  { redactor }: CheckContext,
  level: Level,
): CheckResult {
  const [first] = problems;
  return {
    id,
    title: `${operation} ${status} is as spec/openapi.json says`,
    rules: shapeRules(operation, status),
    level,
    status: seen === 0 ? "skipped" : first === undefined ? "kept" : "broken",
    message:
      seen === 0
        ? "No call of this run was answered so."
        : redactor.redact(problems.map(({ text }) => text).join("; ")) || undefined,
    curl: first === undefined ? undefined : curlLine(first.call, redactor),
    credits: 0,
    milliseconds: 0,
  };
}

function observation(
  { probe, value, message }: Seen,
  explained: readonly Deviation[],
): Observation {
  const { id, option, title, rules } = probe;
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
