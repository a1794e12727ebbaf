import { SkipCheck } from "../outcome.ts";

/** What try-ons cost, by size. */
export const costs: Readonly<Record<string, number>> = { "1K": 8, "2K": 12, "4K": 20 };

/** The credits that a run may spend, and has. */
export class Budget {
  readonly most: number;
  #spent = 0;

  constructor(most: number) {
    this.most = most;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Takes credits before they are spent: what the service then takes is never more. @throws Skip when too few are left. */
  take(credits: number): void {
    if (this.#spent + credits > this.most) {
      throw new SkipCheck(
        `${credits} more credits would go over the ${this.most} that may be spent (--max-credits, and what the key has).`,
      );
    }
    this.#spent += credits;
  }

  /** Gives back what was taken for a call that the service refused: a refusal costs nothing. */
  giveBack(credits: number): void {
    this.#spent -= credits;
  }
}
