import type { z } from "zod";

import type { ValidationError } from "@tryon/spec/openapi";
import type { Options } from "../options.ts";

/** Number of characters of a refused value in a response when `echoInput` is `cut`. */
const echoCharacters = 64;

/** A request with invalid types or bounds: every problem, worded as by pydantic 2. */
export class InvalidInput extends Error {
  readonly problems: readonly ValidationError[];

  constructor(problems: readonly ValidationError[]) {
    super("The request does not have the documented form.");
    this.name = "InvalidInput";
    this.problems = problems;
  }
}

export class InvalidFields extends InvalidInput {}

type Path = readonly PropertyKey[];
type Problem = Pick<ValidationError, "type" | "msg" | "ctx">;

const typeProblems: Readonly<Record<string, Problem>> = {
  string: { type: "string_type", msg: "Input should be a valid string" },
  number: { type: "int_type", msg: "Input should be a valid integer" },
  int: {
    type: "int_from_float",
    msg: "Input should be a valid integer, got a number with a fractional part",
  },
  boolean: { type: "bool_type", msg: "Input should be a valid boolean" },
  array: { type: "list_type", msg: "Input should be a valid list" },
  record: { type: "dict_type", msg: "Input should be a valid dictionary" },
};

const parsingProblems: Readonly<Record<string, Problem>> = {
  number: {
    type: "int_parsing",
    msg: "Input should be a valid integer, unable to parse string as an integer",
  },
  boolean: {
    type: "bool_parsing",
    msg: "Input should be a valid boolean, unable to interpret input",
  },
};

export function validate<Input>(schema: z.ZodType<Input>, input: unknown, options: Options): Input {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new InvalidFields(
    result.error.issues.map((issue) => {
      const value = valueAt(input, issue.path);
      if (value === undefined) {
        const parent = valueAt(input, issue.path.slice(0, -1));
        return problemAt(issue.path, { type: "missing", msg: "Field required" }, parent, options);
      }
      return problemAt(issue.path, describe(issue, value, options), value, options);
    }),
  );
}

export function problemAt(
  path: Path,
  problem: Problem,
  value: unknown,
  { echoInput }: Options,
): ValidationError {
  const { type, msg, ctx } = problem;
  const loc = path.map((part) => (typeof part === "symbol" ? String(part) : part));
  const input = echoInput === "full" ? value : shorten(value);
  return { type, loc, msg, input, ...(ctx && Object.keys(ctx).length > 0 && { ctx }) };
}

function describe(issue: z.core.$ZodIssue, value: unknown, { jsonTypes }: Options): Problem {
  if (issue.code === "too_small") return tooSmall(issue.origin, Number(issue.minimum));
  if (issue.code === "too_big") return tooBig(issue.origin, Number(issue.maximum), value);
  if (issue.code === "invalid_value") {
    const quoted = issue.values.map((allowed) => `'${String(allowed)}'`);
    const expected = [quoted.slice(0, -1).join(", "), quoted.at(-1)].join(" or ");
    return { type: "literal_error", msg: `Input should be ${expected}`, ctx: { expected } };
  }
  // Only the format of a number in a query is checked.
  const isNumber = issue.code === "invalid_format";
  const expected = issue.code === "invalid_type" ? issue.expected : "number";
  const isParsed = isNumber || (jsonTypes === "lax" && typeof value === "string");
  const problem = (isParsed ? parsingProblems[expected] : undefined) ?? typeProblems[expected];
  return problem ?? { type: "value_error", msg: issue.message };
}

function tooSmall(origin: string, min: number): Problem {
  if (origin === "string") {
    const msg = `String should have at least ${min} characters`;
    return { type: "string_too_short", msg, ctx: { min_length: min } };
  }
  const msg = `Input should be greater than or equal to ${min}`;
  return { type: "greater_than_equal", msg, ctx: { ge: min } };
}

function tooBig(origin: string, max: number, value: unknown): Problem {
  if (origin === "string") {
    const msg = `String should have at most ${max} characters`;
    return { type: "string_too_long", msg, ctx: { max_length: max } };
  }
  if (origin === "number") {
    const msg = `Input should be less than or equal to ${max}`;
    return { type: "less_than_equal", msg, ctx: { le: max } };
  }
  const field_type = origin === "array" ? "List" : "Dictionary";
  const actual_length = Object.keys(value ?? {}).length;
  const msg = `${field_type} should have at most ${max} items after validation, not ${actual_length}`;
  return { type: "too_long", msg, ctx: { field_type, max_length: max, actual_length } };
}

function shorten(value: unknown): unknown {
  const isText = typeof value === "string";
  if (!isText && (value === null || typeof value !== "object")) return value;
  const written = isText ? value : JSON.stringify(value);
  return written.length <= echoCharacters ? value : `${written.slice(0, echoCharacters)}…`;
}

function valueAt(input: unknown, path: Path): unknown {
  // The last part but one is a key that is itself invalid.
  if (path.at(-1) === "[key]") return path.at(-2);
  let value = input;
  for (const part of path) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, part))
      return undefined;
    // hasOwn has just found the property.
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}
