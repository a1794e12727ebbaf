/** Limit of a budget. */
export interface BudgetLimit {
  /** Maximum number of credits in all, including try-ons in flight. A number from 0. */
  readonly maxCredits: number;
}

/** Budget in which a client counts credits. */
export interface Counted extends BudgetLimit {
  readonly spent: number;
  readonly reserved: number;
  /** Budget that counts the same credits already. A client with that budget does not count them in it again. */
  readonly countedIn?: Counted;
  /** Adds credits to `spent` and `reserved`. */
  count(spent: number, reserved: number): void;
}
