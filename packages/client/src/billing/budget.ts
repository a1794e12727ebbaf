import { creditLimit, type BudgetLimit } from "./budget-limit.ts";

/**
 * Credits that may be spent, and what has become of them. Calls, batches and clients that are given the same budget share
 * it. A try-on that does not fit is `budget_exceeded` before anything is sent.
 *
 * It counts what is charged while it exists, at the service's prices. A failed try-on stays spent until the balance of the
 * key shows that it was refunded, which is looked up before a try-on is refused.
 *
 * @throws `invalid_input` when `maxCredits` is no number from 0 up
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

  /** What try-ons have cost, without what was seen to be refunded. */
  get spent(): number {
    return this.#spent;
  }

  /** What try-ons may cost that are being sent, of which it is not known whether they were made, or whose cost is not known yet. */
  get reserved(): number {
    return this.#reserved;
  }

  /** What may still be spent. */
  get left(): number {
    return Math.max(0, this.maxCredits - this.#spent - this.#reserved);
  }

  /** @internal The client counts. */
  count(spent: number, reserved: number): void {
    this.#spent += spent;
    this.#reserved += reserved;
  }

  /** Where it stands, in credits. */
  toJSON(): Record<"maxCredits" | "spent" | "reserved" | "left", number> {
    const { maxCredits, spent, reserved, left } = this;
    return { maxCredits, spent, reserved, left };
  }
}
