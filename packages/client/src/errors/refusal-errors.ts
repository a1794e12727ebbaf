import type { InputIssue } from "./input-issue.ts";
import type { Counted } from "../types/budget.ts";
import { TryOnError, type FieldIssue } from "./tryon-error.ts";

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
  constructor(
    field: string,
    problem: string,
    details?: { hint?: string; bound?: number; cause?: unknown },
  );
  /** @hidden */
  constructor(issues: readonly InputIssue[]);
  constructor(
    field: string | readonly InputIssue[],
    problem?: string,
    { hint, cause, ...bound }: { hint?: string; bound?: number; cause?: unknown } = {},
  ) {
    const issues =
      typeof field === "string" ? [{ field, message: `${field} ${problem}.`, ...bound }] : field;
    const message = issues.map((issue) => issue.message).join(" ");
    super("invalid_input", message, {
      hint: hint ?? (issues[0] as InputIssue).hint,
      issues,
      cause,
    });
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
  constructor({ maxCredits, spent, reserved }: Counted, cost: number, isRetry: boolean) {
    const fields = { cost, spent, reserved, maxCredits };
    const settle =
      reserved > 0 ? ", or wait for the reserved ones, or settle them with recover()" : "";
    const hint = isRetry
      ? "It was not sent again, and may have been made: raise maxCredits, and call recover() again."
      : `Nothing was sent: raise maxCredits${settle}.`;
    super(
      "budget_exceeded",
      `The budget of ${maxCredits} credits does not hold another ${cost}: ${spent} are spent and ${reserved} reserved.`,
      { hint, ...fields },
    );
  }
}
