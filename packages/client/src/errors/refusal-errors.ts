import type { InputIssue } from "./input-issue.ts";
import { TryOnError, type FieldIssue, type TryOnErrorDetails } from "./tryon-error.ts";

/** Invalid options (`invalid_config`), or options that would put a key at risk (`unsafe_environment`). */
export class ConfigError extends TryOnError {
  declare readonly code: "invalid_config" | "unsafe_environment";

  /** @hidden */
  constructor(code: ConfigError["code"], message: string, hint: string) {
    super(code, message, { hint });
  }
}

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

/**
 * Rejection of a try-on that costs more than its budget has left. The call sent nothing. If `recover()` rejects with it, the
 * try-on may have been made before.
 */
export class BudgetError extends TryOnError {
  declare readonly code: "budget_exceeded";
  /** Cost of the try-on, in credits. */
  declare readonly cost: number;
  /** Credits that the budget has spent. */
  declare readonly spent: number;
  /** Credits that the budget reserves for try-ons in flight or with an unknown outcome. */
  declare readonly reserved: number;
  /** Limit of the budget, in credits. */
  declare readonly maxCredits: number;

  /** @hidden */
  constructor(
    message: string,
    details: TryOnErrorDetails & Pick<BudgetError, "cost" | "spent" | "reserved" | "maxCredits">,
  ) {
    super("budget_exceeded", message, details);
  }
}
