import type { InputIssue } from "./input-issue.ts";
import { TryOnError, type FieldIssue } from "./tryon-error.ts";

/** Rejection of a call before anything was sent. `issues` has every field with its problem and its limit. */
export class InputError extends TryOnError {
  declare readonly code: "invalid_input";
  declare readonly issues: readonly (FieldIssue & Partial<InputIssue>)[];

  /** @hidden */
  constructor(field: string, problem: string, details?: { hint?: string; bound?: number });
  /** @hidden */
  constructor(issues: readonly InputIssue[]);
  constructor(
    field: string | readonly InputIssue[],
    problem?: string,
    { hint, ...bound }: { hint?: string; bound?: number } = {},
  ) {
    const issues =
      typeof field === "string" ? [{ field, message: `${field} ${problem}.`, ...bound }] : field;
    const message = issues.map((issue) => issue.message).join(" ");
    super("invalid_input", message, { hint: hint ?? (issues[0] as InputIssue).hint, issues });
  }
}
