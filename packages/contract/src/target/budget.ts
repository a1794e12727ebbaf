import { SkipCheck } from "../outcome.ts";

/** Costs of try-ons by size. */
export const costs: Readonly<Record<string, number>> = { "1K": 8, "2K": 12, "4K": 20 };

/** Credits that a run may spend. */
export class Budget {
  readonly max: number;
  spent = 0;

  constructor(max: number) {
    this.max = max;
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
