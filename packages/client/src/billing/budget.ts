import { InputError } from "../errors/refusal-errors.ts";
import type { BudgetLimit, Counted } from "../types/budget.ts";

/**
 * Credits that may be spent, and the credits spent so far. Calls, batches and clients with the same budget share it. A try-on
 * above it is rejected with `budget_exceeded` before anything is sent.
 *
 * It counts what is submitted while it exists. A try-on is reserved before it is sent, and spent once the service states its
 * cost. Until the job has ended, the rest up to the price stays reserved. A failed try-on stays spent.
 *
 * @throws `invalid_input` if `maxCredits` is not a number from 0
 * @example
 * import { Budget, TryOn } from "@tryon/client";
 *
 * const budget = new Budget({ maxCredits: 500 });
 * const tryon = new TryOn({ budget });
 * await tryon.run(input);
 * budget.left; // 492
 */
export class Budget implements BudgetLimit {
  readonly maxCredits: number;
  #spent = 0;
  #reserved = 0;

  constructor({ maxCredits }: BudgetLimit) {
    if (typeof maxCredits !== "number" || !(maxCredits >= 0)) {
      throw new InputError("budget.maxCredits", "is not a number from 0 up");
    }
    this.maxCredits = maxCredits;
  }

  /** Credits spent, including those of failed try-ons. */
  get spent(): number {
    return this.#spent;
  }

  /** Credits of try-ons in flight, with an unknown outcome, or with an unknown cost. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Credits that may still be spent. */
  get left(): number {
    return Math.max(0, this.maxCredits - this.#spent - this.#reserved);
  }

  /** @internal The client counts. */
  count(spent: number, reserved: number): void {
    this.#spent += spent;
    this.#reserved += reserved;
  }

  /** Returns the numbers of credits. */
  toJSON(): Record<"maxCredits" | "spent" | "reserved" | "left", number> {
    const { maxCredits, spent, reserved, left } = this;
    return { maxCredits, spent, reserved, left };
  }
}

/** Returns the budget of an option: the same one, or a new one with that limit. */
export function budgetOf(option: BudgetLimit): Counted {
  // A `Budget` of another copy of this package counts, too.
  const { count } = Object(option) as Partial<Counted>;
  // Programs without types pass anything.
  return typeof count === "function"
    ? (option as Counted)
    : new Budget(Object(option) as BudgetLimit);
}
