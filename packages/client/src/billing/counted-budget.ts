import { creditLimit, type BudgetLimit, type Counted } from "./budget-limit.ts";

/** The budget that an option names: itself, or one with that limit. */
export function budgetOf(option: BudgetLimit): Counted {
  // Budgets of another copy of this package count, too.
  const { count } = Object(option) as Partial<Counted>;
  if (typeof count === "function") return option as Counted;
  return new PlainBudget(creditLimit(Object(option) as BudgetLimit));
}

/** A budget that nobody can read: pages that do without `Budget` do not load it. */
class PlainBudget implements Counted {
  readonly maxCredits: number;
  spent = 0;
  reserved = 0;

  constructor(maxCredits: number) {
    this.maxCredits = maxCredits;
  }

  count(spent: number, reserved: number): void {
    this.spent += spent;
    this.reserved += reserved;
  }
}
