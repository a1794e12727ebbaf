import { BudgetError } from "../errors/budget-error.ts";
import type { Counted } from "./budget-limit.ts";

/** The error for a try-on that a budget does not hold; `again` says that it was sent before. */
export function budgetExceeded(
  { maxCredits, spent, reserved }: Counted,
  cost: number,
  again: boolean,
): BudgetError {
  const settle =
    reserved > 0 ? ", or wait for what is reserved, and settle what is unknown with recover()" : "";
  const hint = again
    ? "It was not sent again, and may have been made before: raise maxCredits, and call recover() once more."
    : `Nothing was sent: raise maxCredits${settle}.`;
  return new BudgetError(
    `The budget of ${maxCredits} credits does not hold another ${cost}: ${spent} are spent and ${reserved} reserved.`,
    { hint, cost, spent, reserved, maxCredits },
  );
}
