import * as z from "zod";

import { nullBodyStatuses } from "../http/responses.ts";
import { isJsonValue, show } from "../shown.ts";
import { milliseconds, type Duration } from "../system/duration.ts";
import { checkFields, type FieldRule } from "./check-fields.ts";
import type { FaultInput } from "./fault.ts";
import { gatewayNamed, gatewayNames } from "./gateways.ts";
import { parseTarget } from "./request-pattern.ts";

type Field = keyof FaultInput;

interface FaultRule extends FieldRule {
  /** If true, the field is an effect; if "response", a detail of a response that replaces the service's. */
  readonly effect?: boolean | "response";
  readonly excludes?: readonly Field[];
  readonly because?: string;
  readonly only?: "webhook" | "request";
}

const duration = z.union([z.number(), z.string()]).refine((value) => readTime(value) >= 0);
const distribution = z
  .strictObject({
    median: duration.refine((median) => readTime(median) !== 0, {
      error: "has to be above 0; leave latency out for none.",
    }),
    p95: duration,
  })
  .refine(({ median, p95 }) => !(readTime(p95) < readTime(median)), {
    path: ["p95"],
    error: "has to be the median or more: 95 of 100 requests take at most this time.",
  });
const headers = z
  .record(z.string(), z.string({ error: "has to be a text." }))
  .superRefine((record, context) => {
    for (const [name, text] of Object.entries(record)) {
      const message = headerProblem(name, text);
      if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
    }
  });

const durationLimit = 'a number of milliseconds from 0 up, or a text such as "2s"';

function wholeNumber(min: number, fix: string, max = Number.MAX_SAFE_INTEGER): FieldRule {
  const end = max === Number.MAX_SAFE_INTEGER ? "up" : `to ${max}`;
  return { schema: z.int().min(min).max(max), limit: `a whole number from ${min} ${end}`, fix };
}

const rules: Readonly<Record<Field, FaultRule>> = {
  on: { schema: z.unknown(), limit: "a target" },
  times: wholeNumber(1, "Leave it out for a fault that stays."),
  probability: {
    schema: z.number().gt(0).max(1),
    limit: "a number above 0 up to 1",
    fix: "Leave it out for a fault that always applies.",
  },
  after: wholeNumber(0, "It is the number of requests before the first fault."),
  status: {
    ...wholeNumber(200, 'Use reset: "before" for no response.', 599),
    effect: true,
    only: "request",
  },
  headers: {
    schema: headers,
    limit: "an object of texts",
    fix: 'Pass a record such as { "x-cache": "MISS" }.',
    effect: "response",
  },
  body: {
    schema: z.unknown().refine(isJsonValue),
    limit: "a text, or a value that can be written as JSON",
    effect: "response",
  },
  html: { schema: z.boolean(), limit: "true or false", effect: "response" },
  retryAfter: {
    schema: z.union([
      z.int().min(0),
      z.string().refine((text) => headerProblem("retry-after", text) === undefined),
    ]),
    limit: "a whole number of seconds from 0 up, or a text such as an HTTP date",
    effect: "response",
  },
  gateway: {
    schema: z.enum(gatewayNames),
    limit: 'the name of a gateway, such as "nginx-504-page"',
    fix: `The names are ${gatewayNames.join(", ")}.`,
    effect: true,
    excludes: ["status", "headers", "body", "html", "retryAfter", "reset", "truncateAt"],
    because: "the gateway determines the response",
    only: "request",
  },
  latency: {
    schema: z.union([duration, distribution]),
    limit: `${durationLimit}, or { median, p95 } of two such times`,
    effect: true,
  },
  reset: {
    schema: z.enum(["before", "after"]),
    limit: '"before" (no work is done) or "after" (the work is done)',
    effect: true,
    excludes: ["status", "truncateAt", "cutAfter"],
    because: "a broken connection has no response",
  },
  truncateAt: {
    ...wholeNumber(0, "It counts the bytes of the body that are sent."),
    effect: true,
    only: "request",
  },
  cutAfter: {
    schema: duration,
    limit: durationLimit,
    effect: true,
    excludes: ["truncateAt", "latency"],
    because: "the proxy determines the time and the response",
    only: "request",
  },
  drop: {
    schema: z.literal(true),
    limit: "true",
    fix: "Leave it out for none.",
    effect: true,
    excludes: ["reset"],
    because: "a dropped webhook has no connection",
    only: "webhook",
  },
};

// The table has exactly the fields of a fault.
export const faultFieldNames = Object.keys(rules) as readonly Field[];
const effects = faultFieldNames.filter((field) => rules[field].effect === true);

/** @throws TypeError or RangeError that names the field, its limit and the fix. */
export function checkFault(input: FaultInput): void {
  if (input === null || typeof input !== "object") {
    throw new TypeError(
      `A fault is an object such as { on: "POST /api/v1/tryon", times: 1, status: 503 }; got ${show(input)}.`,
    );
  }
  checkFields("A fault", rules, input);
  parseTarget("on", input.on);
  const problem = contradiction(input) ?? responseProblem(input);
  if (problem !== undefined) throw new RangeError(problem);
}

/** If true, the fault replaces the request's outcome, and no later fault applies to it. */
export function isFinal(input: FaultInput): boolean {
  return effects.some((field) => field !== "latency" && input[field] !== undefined);
}

function contradiction(input: FaultInput): string | undefined {
  const isSet = (field: Field): boolean => input[field] !== undefined;
  const target = input.on === "webhook" ? "webhook" : "request";
  for (const field of effects.filter(isSet)) {
    const { excludes, because, only } = rules[field];
    const other = excludes?.find(isSet);
    if (other !== undefined) {
      return `${field} and ${other} contradict each other: ${because}. Leave one out, or add two faults.`;
    }
    if (only === "request" && target === "webhook") {
      return `${field} is not for webhooks: use drop, reset or latency, or change the receiver.`;
    }
    if (only === "webhook" && target === "request") {
      return `${field} is for webhooks: use it with on: "webhook", or reset: "before" for requests.`;
    }
  }
  const { latency } = input;
  const isSlow = latency !== undefined && (typeof latency === "object" || readTime(latency) > 0);
  if (!isFinal(input) && !isSlow) {
    return `The fault on ${JSON.stringify(input.on)} does nothing: add status, gateway, latency, reset, truncateAt, cutAfter or, on "webhook", drop.`;
  }
  const detail = faultFieldNames.find(
    (field) => rules[field].effect === "response" && isSet(field),
  );
  if (detail === undefined || isSet("status") || isSet("cutAfter")) return undefined;
  return `${detail} belongs to a response: add status or cutAfter.`;
}

function responseProblem(input: FaultInput): string | undefined {
  const { status, body, html, cutAfter, retryAfter, gateway } = input;
  if (gateway !== undefined) {
    return cutAfter !== undefined && gatewayNamed(gateway).after === undefined
      ? `gateway "${gateway}" and cutAfter contradict each other: it responds at once. Leave cutAfter out.`
      : undefined;
  }
  if (html === true && body !== undefined && typeof body !== "string") {
    return "html and a body that is not a text contradict each other; leave one out.";
  }
  if (html === false && cutAfter !== undefined && status === undefined) {
    return "html: false and cutAfter contradict each other: a proxy sends no JSON.";
  }
  const names = Object.keys(input.headers ?? {}).map((name) => name.toLowerCase());
  if (retryAfter !== undefined && names.includes("retry-after")) {
    return "retryAfter and headers both set Retry-After; leave one out.";
  }
  if (status === undefined || !nullBodyStatuses.has(status)) return undefined;
  const field = (["body", "html", "truncateAt"] as const).find((name) => input[name] !== undefined);
  return field && `${field} has to be left out: a response with status ${status} has no body.`;
}

/** Returns a duration in milliseconds, or NaN if it is invalid. */
function readTime(value: Duration): number {
  try {
    return milliseconds(value);
  } catch {
    return Number.NaN;
  }
}

function headerProblem(name: string, text: string): string | undefined {
  if (/^(content-length|transfer-encoding|connection)$/i.test(name)) {
    return "belongs to the connection; use truncateAt for a body that ends early.";
  }
  try {
    new Headers().set(name, text);
    return undefined;
  } catch {
    return 'is not a header that HTTP can carry; pass a record such as { "x-cache": "MISS" }.';
  }
}
