import { SkipCheck } from "../outcome.ts";
import { fieldsOf } from "../wire/response.ts";

/** Costs of try-ons by size. */
type Costs = Readonly<Record<string, number>>;

/** Documented costs. */
export const costs: Costs = { "1K": 8, "2K": 12, "4K": 20 };

/** Returns the costs that a limit must assume for an account: those that it states, and at least the documented ones. */
export function costsOf(account: unknown): Costs {
  const stated = Object.entries(fieldsOf(fieldsOf(account)["tryon_cost_credits"]));
  const higher = stated.flatMap(([size, cost]) =>
    isCredits(cost) ? [[size, Math.max(cost, costs[size] ?? 0)] as const] : [],
  );
  return { ...costs, ...Object.fromEntries(higher) };
}

/** Returns true for a number of credits that a response can state. */
export function isCredits(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** Credits that a run may spend. */
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

  /** Reserves the credits of a request before it is sent. @throws SkipCheck when too few are left. */
  reserve(credits: number): void {
    if (this.spent + credits > this.max) {
      throw new SkipCheck(
        `${credits} more credits would exceed the ${this.max} that the run may spend (--max-credits, and the balance of the key).`,
      );
    }
    this.spent += credits;
  }

  /** Releases the credits of a refused request, which costs nothing. */
  release(credits: number): void {
    this.spent -= credits;
  }
}
