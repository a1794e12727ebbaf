import { isJsonValue, show } from "../shown.ts";
import { milliseconds } from "../system/duration.ts";
import { readTarget } from "./call-pattern.ts";
import type { FaultInput } from "./fault.ts";

type Check = (value: unknown) => void;

function wholeNumber(field: string, least: number, most: number, wayOut: string): Check {
  const bounds =
    most === Number.POSITIVE_INFINITY ? `from ${least} up` : `from ${least} to ${most}`;
  return (value) => {
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most)
      return;
    const problem = `${field} has to be a whole number ${bounds}; got ${show(value)}. ${wayOut}`;
    throw typeof value === "number" ? new RangeError(problem) : new TypeError(problem);
  };
}

function duration(field: string, value: unknown): number {
  if (typeof value !== "number" && typeof value !== "string") {
    throw new TypeError(
      `${field} has to be a number of milliseconds or a text such as "2s"; got ${show(value)}.`,
    );
  }
  try {
    return milliseconds(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RangeError(`${field}: ${reason}`, { cause: error });
  }
}

function latency(value: unknown): void {
  if (value === null || typeof value !== "object") {
    duration("latency", value);
    return;
  }
  const { median, p95, ...rest } = value as Readonly<Record<string, unknown>>;
  const [other] = Object.keys(rest);
  if (other !== undefined) {
    throw new TypeError(`latency has no ${show(other)}; a distribution has median and p95.`);
  }
  const middle = duration("latency.median", median);
  if (middle === 0) {
    throw new RangeError("latency.median has to be above 0; leave latency out for none.");
  }
  if (duration("latency.p95", p95) < middle) {
    throw new RangeError(
      "latency.p95 has to be the median or more: 95 of 100 calls take no longer than it.",
    );
  }
}

function headers(value: unknown): void {
  const example = 'Give a record such as { "x-cache": "MISS" }.';
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new TypeError(`headers has to be an object of texts; got ${show(value)}. ${example}`);
  }
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== "string") {
      throw new TypeError(`headers.${name} has to be a text; got ${show(text)}. ${example}`);
    }
    if (/^(content-length|transfer-encoding|connection)$/i.test(name)) {
      throw new RangeError(
        `headers.${name} is the connection's own; use truncateAt for a body that ends early.`,
      );
    }
    try {
      new Headers().set(name, text);
    } catch (error) {
      throw new TypeError(`headers.${name} is no header that HTTP can carry. ${example}`, {
        cause: error,
      });
    }
  }
}

/** Each field by itself: what it may be. */
const checks: Readonly<Record<keyof FaultInput, Check>> = {
  on: (value) => readTarget("on", value),
  times: wholeNumber("times", 1, Number.POSITIVE_INFINITY, "Leave it out for a fault that stays."),
  probability: (value) => {
    if (typeof value === "number" && value > 0 && value <= 1) return;
    const problem = `probability has to be a number above 0 up to 1; got ${show(value)}. Leave it out for a fault that always strikes.`;
    throw typeof value === "number" ? new RangeError(problem) : new TypeError(problem);
  },
  after: wholeNumber("after", 0, Number.POSITIVE_INFINITY, "It says how many calls pass first."),
  status: wholeNumber("status", 200, 599, 'Use reset: "before" for no answer at all.'),
  headers,
  body: (value) => {
    if (typeof value === "string" || isJsonValue(value)) return;
    throw new TypeError("body has to be a text, or a value that can be written as JSON.");
  },
  html: (value) => {
    if (typeof value === "boolean") return;
    throw new TypeError(`html has to be true or false; got ${show(value)}.`);
  },
  retryAfter: (value) => {
    if (typeof value === "string") headers({ "retry-after": value });
    else {
      const wayOut = "It counts seconds; give a text for an HTTP date.";
      wholeNumber("retryAfter", 0, Number.POSITIVE_INFINITY, wayOut)(value);
    }
  },
  latency,
  reset: (value) => {
    if (value === "before" || value === "after") return;
    throw new RangeError(
      `reset has to be "before" (nothing was done) or "after" (the work was done); got ${show(value)}.`,
    );
  },
  truncateAt: wholeNumber(
    "truncateAt",
    0,
    Number.POSITIVE_INFINITY,
    "It counts the bytes of the body that are sent.",
  ),
  cutAfter: (value) => duration("cutAfter", value),
  drop: (value) => {
    if (value !== true) throw new RangeError("drop has to be true; leave it out for none.");
  },
};

/** @throws TypeError or RangeError naming the first field that cannot be, its bound and the way out. */
export function checkFields(input: FaultInput): void {
  if (input === null || typeof input !== "object") {
    throw new TypeError(
      `A fault is an object such as { on: "POST /api/v1/tryon", times: 1, status: 503 }; got ${show(input)}.`,
    );
  }
  for (const [name, value] of Object.entries(input)) {
    if (!Object.hasOwn(checks, name)) {
      const known = Object.keys(checks).join(", ");
      throw new TypeError(`A fault has no ${show(name)}; it has ${known}.`);
    }
    // The line above has seen that it is one of them.
    if (value !== undefined || name === "on") checks[name as keyof typeof checks](value);
  }
  checks.on(input.on);
}
