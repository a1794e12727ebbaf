import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

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
