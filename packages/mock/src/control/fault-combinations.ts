import { milliseconds } from "../system/duration.ts";
import { nullBodyStatuses } from "./fault-response.ts";
import type { FaultInput, FaultKind } from "./fault.ts";

type Field = keyof FaultInput;

/** What cannot stand beside what, and why. */
const clashes: readonly (readonly [Field, readonly Field[], string])[] = [
  ["reset", ["status", "truncateAt", "cutAfter"], "a broken connection has no answer"],
  ["cutAfter", ["truncateAt", "latency"], "the proxy's time and answer say all there is"],
  ["drop", ["reset"], "what never arrives needs no connection"],
];

/** What belongs to an answer that is made up. */
const answerFields: readonly Field[] = ["headers", "body", "html", "retryAfter"];

/** @throws RangeError for fields that contradict each other or do nothing together, with the way out. */
export function checkCombination(input: FaultInput): void {
  const has = (field: Field): boolean => input[field] !== undefined;
  for (const [field, others, why] of clashes) {
    const other = has(field) ? others.find(has) : undefined;
    if (other === undefined) continue;
    throw new RangeError(
      `${field} and ${other} contradict each other: ${why}. Leave one out, or add two faults.`,
    );
  }
  if (kindsOf(input).length === 0) {
    throw new RangeError(
      `The fault on ${JSON.stringify(input.on)} does nothing: give it status, latency, reset, truncateAt, cutAfter or, on "webhook", drop.`,
    );
  }
  const loose = answerFields.find(has);
  if (loose !== undefined && !has("status") && !has("cutAfter")) {
    throw new RangeError(`${loose} belongs to an answer: give status, or cutAfter, beside it.`);
  }
  checkAnswer(input);
  checkTarget(input);
}

function checkAnswer(input: FaultInput): void {
  if (input.html === true && input.body !== undefined && typeof input.body !== "string") {
    throw new RangeError("html and a body that is not a text contradict each other; drop one.");
  }
  if (input.html === false && input.cutAfter !== undefined && input.status === undefined) {
    throw new RangeError("html: false and cutAfter contradict each other: a proxy knows no JSON.");
  }
  const { headers = {} } = input;
  if (
    input.retryAfter !== undefined &&
    Object.keys(headers).some((name) => name.toLowerCase() === "retry-after")
  ) {
    throw new RangeError("retryAfter and headers both set Retry-After; leave one out.");
  }
  if (input.status === undefined || !nullBodyStatuses.has(input.status)) return;
  const field = (["body", "html", "truncateAt"] as const).find((name) => input[name] !== undefined);
  if (field !== undefined) {
    throw new RangeError(`${field} cannot be: an answer with status ${input.status} has no body.`);
  }
}

function checkTarget(input: FaultInput): void {
  if (input.on !== "webhook") {
    if (input.drop !== undefined) {
      throw new RangeError(
        'drop is for what the server sends: use it with on: "webhook", or reset: "before" for calls.',
      );
    }
    return;
  }
  const wrong = (["status", "truncateAt", "cutAfter"] as const).find(
    (name) => input[name] !== undefined,
  );
  if (wrong !== undefined) {
    throw new RangeError(
      `${wrong} is not for webhooks, since their receiver answers: use drop, reset or latency, or let the receiver do it.`,
    );
  }
}

/** The kinds of faults that a fault is made of. */
export function kindsOf(input: FaultInput): readonly FaultKind[] {
  if (input.on === "webhook") {
    return otherKinds(input).map((kind) => (kind === "reset" ? "webhook reset" : kind));
  }
  return otherKinds(input);
}

function otherKinds(input: FaultInput): readonly FaultKind[] {
  const kinds = (["status", "reset", "truncateAt", "cutAfter", "drop"] as const).filter(
    (kind) => input[kind] !== undefined && !(kind === "status" && input.cutAfter !== undefined),
  );
  const slow = input.latency !== undefined && !isNoTime(input.latency);
  return slow ? [...kinds, "latency"] : kinds;
}

function isNoTime(latency: NonNullable<FaultInput["latency"]>): boolean {
  return typeof latency !== "object" && milliseconds(latency) === 0;
}
