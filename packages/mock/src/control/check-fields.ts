import { rejectUnknownNames } from "@tryon/command-line/known-names";
import type * as z from "zod";

import { show } from "../shown.ts";

export interface FieldRule {
  readonly schema: z.ZodType;
  /** Completes "FIELD has to be …". */
  readonly limit: string;
  readonly fix?: string;
}

/** @throws TypeError or RangeError that names the first invalid field, its limit and the fix. */
export function checkFields(
  noun: string,
  rules: Readonly<Record<string, FieldRule>>,
  input: object,
): void {
  rejectUnknownNames(input, Object.keys(rules), `${noun} has no`, "it has");
  for (const [name, value] of Object.entries(input)) {
    const rule = rules[name];
    if (rule !== undefined && value !== undefined) checkField(name, value, rule);
  }
}

function checkField(name: string, value: unknown, { schema, limit, fix }: FieldRule): void {
  const result = schema.safeParse(value, {
    reportInput: true,
    error: ({ input }) => [`has to be ${limit}; got ${show(input)}.`, fix].join(" ").trim(),
  });
  const issue = result.error?.issues[0];
  if (issue === undefined) return;
  const problem = `${[name, ...issue.path].join(".")} ${issue.message}`;
  const isWrongType =
    issue.code === "invalid_union" ||
    issue.code === "unrecognized_keys" ||
    (issue.code === "invalid_type" && typeof issue.input !== "number") ||
    (issue.code === "invalid_type" && issue.expected === "string");
  throw isWrongType ? new TypeError(problem) : new RangeError(problem);
}
