import { TryOnError } from "@tryon/client";

import { foldAliases } from "../jobs/fold-aliases.ts";

/** What a batch may spend. */
export interface SpendingLimit {
  /** In credits. */
  readonly maxCredits: number;
}

/** What a try-on costs by its size, in credits. */
const costs: Readonly<Record<string, number>> = { "1K": 8, "2K": 12, "4K": 20 };

/** What the try-ons of a batch cost, those in flight included. */
export class Spending {
  readonly #most: number;
  #spent = 0;

  constructor({ maxCredits }: SpendingLimit) {
    this.#most = maxCredits;
  }

  /** Takes the cost of a try-on beforehand. Throws `budget_exceeded` when that would be too much. */
  reserve(input: object): number {
    const { output_size: size } = foldAliases({ ...input });
    // What has another size is refused for that.
    const cost = costs[typeof size === "string" && size !== "" ? size : "1K"] ?? 0;
    if (this.#spent + cost > this.#most) {
      throw new TryOnError(
        "budget_exceeded",
        `The try-on costs ${cost} credits, and ${this.#most - this.#spent} of the budget of ${this.#most} are left.`,
        { hint: "It was not sent: raise maxCredits." },
      );
    }
    this.#spent += cost;
    return cost;
  }

  /** Puts what a try-on cost indeed in the place of what was reserved for it: nothing, if it was not made. */
  settle(reserved: number, cost: number | null | undefined): void {
    if (Number.isFinite(cost)) this.#spent += (cost ?? 0) - reserved;
  }
}
