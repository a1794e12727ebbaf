import { TryOnError, type FieldIssue } from "./tryon-error.ts";

/** The call was refused before anything was sent: `issues` names the field and its bound. */
export class InputError extends TryOnError {
  declare readonly code: "invalid_input";
  declare readonly issues: readonly FieldIssue[];

  constructor(field: string, problem: string, details: { hint?: string; bound?: number } = {}) {
    const { hint, bound } = details;
    const message = `${field} ${problem}.`;
    const issue: FieldIssue = bound === undefined ? { field, message } : { field, message, bound };
    super("invalid_input", message, { hint, issues: [issue] });
  }
}
