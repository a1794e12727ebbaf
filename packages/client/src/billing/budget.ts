import { creditLimit, type BudgetLimit } from "./budget-limit.ts";

/**
 * Credits that may be spent, and the credits spent so far. Calls, batches and clients with the same budget share it. A try-on
 * above it is rejected with `budget_exceeded` before anything is sent.
 *
 * It counts charges at the service's prices from the time it is made. A failed try-on stays spent until the balance of the
 * key shows a refund. The client reads the balance before it rejects a try-on.
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

  constructor(limit: BudgetLimit) {
    this.maxCredits = creditLimit(limit);
  }

  /** Credits spent, without refunds. */
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
