import type { z } from "zod";

import type { ValidationError } from "../generated/openapi.ts";
import type { Options } from "../options.ts";
import type { Finding } from "./checks.ts";
import { InvalidInput } from "./invalid-input.ts";

/** How much of a refused value an answer repeats when it is set to cut. */
const echoCharacters = 64;

type Location = readonly (string | number)[];

const typeProblems: Readonly<Record<string, { type: string; msg: string }>> = {
  string: { type: "string_type", msg: "Input should be a valid string" },
  number: { type: "int_type", msg: "Input should be a valid integer" },
  boolean: { type: "bool_type", msg: "Input should be a valid boolean" },
  array: { type: "list_type", msg: "Input should be a valid list" },
};

const parsingProblems: Readonly<Record<string, { type: string; msg: string }>> = {
  number: {
    type: "int_parsing",
    msg: "Input should be a valid integer, unable to parse string as an integer",
  },
  boolean: {
    type: "bool_parsing",
    msg: "Input should be a valid boolean, unable to interpret input",
  },
};

/**
 * Reads a body by its schema.
 *
 * @param earlier problems that other parts of the request have.
 * @throws InvalidInput with every problem found.
 */
export function readBody<Body>(
  schema: z.ZodType<Body>,
  body: unknown,
  options: Options,
  earlier: readonly ValidationError[] = [],
): Body {
  const read = schema.safeParse(body);
  if (read.success && earlier.length === 0) return read.data;
  const problems = read.error?.issues.map((issue) => problemOf(issue, body, options)) ?? [];
  throw new InvalidInput([...earlier, ...problems]);
}

function problemOf(issue: z.core.$ZodIssue, body: unknown, options: Options): ValidationError {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  const input = valueAt(body, path);
  const loc = ["body", ...path];
  if (issue.code === "custom") return problem(loc, findingOf(issue), input, options);
  if (input === undefined) return missing(loc, body, options);
  const expected = issue.code === "invalid_type" ? issue.expected : "";
  const spelled = options.jsonTypes === "lax" && typeof input === "string";
  const known = (spelled ? parsingProblems[expected] : undefined) ?? typeProblems[expected];
  const found = known ?? { type: "value_error", msg: issue.message };
  return problem(loc, { ...found, ctx: {} }, input, options);
}

function findingOf(issue: z.core.$ZodIssueCustom): Finding {
  const { type, ctx } = issue.params ?? {};
  return {
    type: typeof type === "string" ? type : "value_error",
    msg: issue.message,
    ctx: typeof ctx === "object" && ctx !== null ? { ...ctx } : {},
  };
}

/** A problem at a place of the request. */
export function problem(
  loc: Location,
  finding: Finding,
  input: unknown,
  options: Options,
): ValidationError {
  const { type, msg, ctx } = finding;
  return {
    type,
    loc: [...loc],
    msg,
    input: echo(input, options.echoInput),
    ...(Object.keys(ctx).length > 0 && { ctx }),
  };
}

function missing(loc: Location, body: unknown, options: Options): ValidationError {
  return problem(loc, { type: "missing", msg: "Field required", ctx: {} }, body, options);
}

function echo(input: unknown, how: Options["echoInput"]): unknown {
  if (how === "full") return input;
  if (typeof input === "string") return cut(input);
  if (input === null || typeof input !== "object") return input;
  const written = JSON.stringify(input);
  return written.length <= echoCharacters ? input : cut(written);
}

function cut(value: string): string {
  return value.length <= echoCharacters ? value : `${value.slice(0, echoCharacters)}…`;
}

function valueAt(body: unknown, path: Location): unknown {
  let value = body;
  for (const part of path) {
    if (part === "[key]") return path.at(-2);
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, part))
      return undefined;
    // hasOwn has just said that the property is there.
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}
