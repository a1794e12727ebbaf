import { InputError } from "../errors/input-error.ts";

/** Limit of a budget. */
export interface BudgetLimit {
  /** Maximum number of credits in all, including try-ons in flight. A number from 0. */
  readonly maxCredits: number;
}

/** What try-ons are counted in. */
export interface Counted extends BudgetLimit {
  readonly spent: number;
  readonly reserved: number;
  /** Budget that counts the same credits already. A client with that budget does not count them in it again. */
  readonly countedIn?: Counted;
  count(spent: number, reserved: number): void;
}

/** The limit that somebody set; throws `invalid_input` for what is none. */
export function creditLimit({ maxCredits }: BudgetLimit): number {
  if (typeof maxCredits === "number" && maxCredits >= 0) return maxCredits;
  throw new InputError("budget.maxCredits", "is not a number from 0 up");
}
