import { TryOnError } from "./tryon-error.ts";

/** A try-on would cost more than its budget has left. Nothing was sent. */
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

  constructor(
    budget: { readonly maxCredits: number; readonly spent: number; readonly reserved: number },
    cost: number,
  ) {
    const { maxCredits, spent, reserved } = budget;
    super(
      "budget_exceeded",
      `The budget of ${maxCredits} credits does not hold another ${cost}: ${spent} are spent and ${reserved} reserved.`,
      {
        hint: `Nothing was sent: raise maxCredits${
          reserved > 0
            ? ", or wait for what is reserved and settle what is unknown with recover()"
            : ""
        }.`,
        cost,
        spent,
        reserved,
        maxCredits,
      },
    );
  }
}
