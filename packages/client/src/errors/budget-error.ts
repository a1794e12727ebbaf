import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

/**
 * A try-on would cost more than its budget has left. The call sent nothing; a try-on whose `recover()` ended so may have
 * been made before, as the error that has it says.
 */
export class BudgetError extends TryOnError {
  declare readonly code: "budget_exceeded";
  /** What the try-on would cost, in credits. */
  declare readonly cost: number;
  /** What the budget has spent. */
  declare readonly spent: number;
  /** What the budget holds back for try-ons that are under way, or of which it is not known whether they were made. */
  declare readonly reserved: number;
  /** The budget's limit. */
  declare readonly maxCredits: number;

  /** @hidden */
  constructor(
    message: string,
    details: TryOnErrorDetails & Pick<BudgetError, "cost" | "spent" | "reserved" | "maxCredits">,
  ) {
    super("budget_exceeded", message, details);
  }
}
