import { SkipCheck } from "../outcome.ts";
import { fieldsOf } from "../wire/response.ts";

type Costs = Readonly<Record<string, number>>;

export const costs: Costs = { "1K": 8, "2K": 12, "4K": 20 };

/** Returns the costs that a limit must assume for an account: those that it states, and at least the documented ones. */
export function costsOf(account: unknown): Costs {
  const stated = Object.entries(fieldsOf(fieldsOf(account)["tryon_cost_credits"]));
  const higher = stated.flatMap(([size, cost]) =>
    isCredits(cost) ? [[size, Math.max(cost, costs[size] ?? 0)] as const] : [],
  );
  return { ...costs, ...Object.fromEntries(higher) };
}

export function isCredits(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

export class Budget {
  readonly max: number;
  spent = 0;
  readonly #costs: Costs;

  constructor(max: number, ownCosts = costs) {
    this.max = max;
    this.#costs = ownCosts;
  }

  /** Returns the maximum cost of a submission. An unknown size may cost as much as the largest. */
  costOf(size: string): number {
    return this.#costs[size] ?? Math.max(...Object.values(this.#costs));
  }

  reserve(credits: number): void {
    if (this.spent + credits > this.max) {
      throw new SkipCheck(
        `${credits} more credits would exceed the ${this.max} that the run may spend (--max-credits, and the balance of the key).`,
      );
    }
    this.spent += credits;
  }

  release(credits: number): void {
    this.spent -= credits;
  }
}
