import { BudgetError } from "../errors/budget-error.ts";
import type { Counted } from "./budget-limit.ts";

/** The error for a try-on that a budget does not hold. */
export function budgetExceeded(
  { maxCredits, spent, reserved }: Counted,
  cost: number,
): BudgetError {
  const settle =
    reserved > 0 ? ", or wait for what is reserved, and settle what is unknown with recover()" : "";
  return new BudgetError(
    `The budget of ${maxCredits} credits does not hold another ${cost}: ${spent} are spent and ${reserved} reserved.`,
    { hint: `Nothing was sent: raise maxCredits${settle}.`, cost, spent, reserved, maxCredits },
  );
}
