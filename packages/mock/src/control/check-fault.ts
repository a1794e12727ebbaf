import {
  accepting,
  anything,
  boolean,
  duration,
  number,
  oneOf,
  OptionsError,
  readOptions,
  show,
  wholeNumber,
  type Rule,
} from "@tryon/shared/options";

import { nullBodyStatuses } from "../http/responses.ts";
import { milliseconds } from "../system/duration.ts";
import type { FaultInput } from "./fault.ts";
import { gatewayNamed, gatewayNames } from "./gateways.ts";
import { parseTarget } from "./request-pattern.ts";

type Field = keyof FaultInput;

interface FaultRule extends Rule {
  /** If true, the field is an effect; if "response", a detail of a response that replaces the service's. */
  readonly effect?: boolean | "response";
  readonly excludes?: readonly Field[];
  readonly because?: string;
  readonly only?: "webhook" | "request";
}

const time = duration(0);

export const faultRules: Readonly<Record<Field, FaultRule>> = {
  on: anything(),
  times: { ...wholeNumber(1), hint: "Leave it out for a fault that stays." },
  probability: {
    ...accepting(
      "a number above 0 up to 1",
      (given) => number(Number.MIN_VALUE, 1).read(given, "") !== undefined,
    ),
    hint: "Leave it out for a fault that always applies.",
  },
  after: { ...wholeNumber(0), hint: "It is the number of requests before the first fault." },
  status: {
    ...wholeNumber(200, 599),
    hint: 'Use {reset}: "before" for no response.',
    effect: true,
    only: "request",
  },
  headers: {
    expected: "an object of texts",
    read: readHeaders,
    hint: 'Pass a record such as { "x-cache": "MISS" }.',
    effect: "response",
  },
  body: {
    ...accepting("a text, or a value that can be written as JSON", isJsonValue),
    effect: "response",
  },
  html: { ...boolean(), effect: "response" },
  retryAfter: {
    ...accepting("a whole number of seconds from 0 up, or a text such as an HTTP date", (given) =>
      typeof given === "string"
        ? headerProblem("retry-after", given) === undefined
        : Number.isSafeInteger(given) && Number(given) >= 0,
    ),
    effect: "response",
  },
  gateway: {
    ...oneOf(...gatewayNames),
    effect: true,
    excludes: ["status", "headers", "body", "html", "retryAfter", "reset", "truncateAt"],
    because: "the gateway determines the response",
    only: "request",
  },
  latency: {
    expected: `${time.expected}, or { median, p95 } of two such times`,
    read: readLatency,
    effect: true,
  },
  reset: {
    ...oneOf("before", "after"),
    expected: '"before" (no work is done) or "after" (the work is done)',
    effect: true,
    excludes: ["status", "truncateAt", "cutAfter"],
    because: "a broken connection has no response",
  },
  truncateAt: {
    ...wholeNumber(0),
    hint: "It counts the bytes of the body that are sent.",
    effect: true,
    only: "request",
  },
  cutAfter: {
    ...time,
    effect: true,
    excludes: ["truncateAt", "latency"],
    because: "the proxy determines the time and the response",
    only: "request",
  },
  drop: {
    ...oneOf(true),
    hint: "Leave it out for none.",
    effect: true,
    excludes: ["reset"],
    because: "a dropped webhook has no connection",
    only: "webhook",
  },
};

// The table has exactly the fields of a fault.
const names = Object.keys(faultRules) as readonly Field[];
const effects = names.filter((field) => faultRules[field].effect === true);

export function checkFault(input: FaultInput): void {
  readOptions("a field of a fault", input, faultRules);
  parseTarget("on", input.on);
  rejectContradiction(input);
  rejectImpossibleResponse(input);
}

/** If true, the fault replaces the request's outcome, and no later fault applies to it. */
export function isFinal(input: FaultInput): boolean {
  return effects.some((field) => field !== "latency" && input[field] !== undefined);
}

function rejectContradiction(input: FaultInput): void {
  const isSet = (field: Field): boolean => input[field] !== undefined;
  const target = input.on === "webhook" ? "webhook" : "request";
  for (const field of effects.filter(isSet)) {
    const { excludes, because, only } = faultRules[field];
    const other = excludes?.find(isSet);
    if (other !== undefined) {
      const problem = `and {${other}} contradict each other: ${because}`;
      throw new OptionsError(field, problem, "Leave one out, or add two faults.");
    }
    if (only === "request" && target === "webhook") {
      const hint = "Use {drop}, {reset} or {latency}, or change the receiver.";
      throw new OptionsError(field, "is not for webhooks", hint);
    }
    if (only === "webhook" && target === "request") {
      const hint = 'Use it with {on}: "webhook", or {reset}: "before" for requests.';
      throw new OptionsError(field, "is for webhooks", hint);
    }
  }
  const { latency } = input;
  const isSlow =
    latency !== undefined && (typeof latency === "object" || milliseconds(latency) > 0);
  if (!isFinal(input) && !isSlow) {
    const others = "{status}, {gateway}, {latency}, {reset}, {truncateAt}, {cutAfter}";
    const hint = `Add ${others} or, on "webhook", {drop}.`;
    throw new OptionsError("on", `${show(input.on)} has no effect`, hint);
  }
  const detail = names.find((field) => faultRules[field].effect === "response" && isSet(field));
  if (detail === undefined || isSet("status") || isSet("cutAfter")) return;
  throw new OptionsError(detail, "belongs to a response", "Add {status} or {cutAfter}.");
}

function rejectImpossibleResponse(input: FaultInput): void {
  const { status, body, html, cutAfter, retryAfter, gateway } = input;
  const contradict = "contradict each other";
  if (gateway !== undefined) {
    if (cutAfter === undefined || gatewayNamed(gateway).after !== undefined) return;
    const problem = `${show(gateway)} and {cutAfter} ${contradict}: it responds at once`;
    throw new OptionsError("gateway", problem, "Leave {cutAfter} out.");
  }
  if (html === true && body !== undefined && typeof body !== "string") {
    const problem = `and a {body} that is not a text ${contradict}`;
    throw new OptionsError("html", problem, "Leave one out.");
  }
  if (html === false && cutAfter !== undefined && status === undefined) {
    const problem = `and {cutAfter} ${contradict}: a proxy sends no JSON`;
    throw new OptionsError("html", problem, "Leave one out.");
  }
  const given = Object.keys(input.headers ?? {}).map((name) => name.toLowerCase());
  if (retryAfter !== undefined && given.includes("retry-after")) {
    throw new OptionsError("retryAfter", "and {headers} both set Retry-After", "Leave one out.");
  }
  if (status === undefined || !nullBodyStatuses.has(status)) return;
  const field = (["body", "html", "truncateAt"] as const).find((name) => input[name] !== undefined);
  if (field === undefined) return;
  throw new OptionsError(field, `must be left out: a response with {status} ${status} has no body`);
}

function readHeaders(given: unknown, name: string): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  for (const [header, value] of Object.entries(given)) {
    if (typeof value !== "string") {
      throw new OptionsError(`${name}.${header}`, `must be a text; got ${show(value)}`);
    }
    const problem = headerProblem(header, value);
    if (problem !== undefined) throw new OptionsError(`${name}.${header}`, ...problem);
  }
  return given;
}

function readLatency(given: unknown, name: string): unknown {
  if (typeof given !== "object" || given === null) return time.read(given, name);
  const { median, p95, ...others } = given as Partial<Record<string, unknown>>;
  const [middle, high] = [time.read(median, name), time.read(p95, name)];
  if (middle === undefined || high === undefined || Object.keys(others).length > 0)
    return undefined;
  if (middle === 0) {
    throw new OptionsError(`${name}.median`, "must be above 0", "Leave {latency} out for none.");
  }
  if (high >= middle) return given;
  const problem = "must be the median or more: 95 of 100 requests take at most this time";
  throw new OptionsError(`${name}.p95`, problem);
}

function headerProblem(name: string, text: string): [problem: string, hint: string] | undefined {
  if (/^(content-length|transfer-encoding|connection)$/i.test(name)) {
    return ["belongs to the connection", "Use {truncateAt} for a body that ends early."];
  }
  try {
    new Headers().set(name, text);
    return undefined;
  } catch {
    const hint = 'Pass a record such as { "x-cache": "MISS" }.';
    return ["is not a header that HTTP can carry", hint];
  }
}

function isJsonValue(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
