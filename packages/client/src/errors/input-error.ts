import type { InputIssue } from "../jobs/input-issue.ts";
import { TryOnError, type FieldIssue } from "./tryon-error.ts";

/** The call was refused before anything was sent: `issues` names every field, its problem and its bound. */
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
