import type { Budget, TryOn } from "@tryon/client";

import type { Counted } from "../types/budget.ts";
import { documentPrices, highestPriceOf, type Prices } from "../billing/prices.ts";
import type { JournalEntry } from "./journal.ts";
import type { JournalWriter } from "./journal-writer.ts";

/** Charges by idempotency key. Without a value, the client counts the charge itself, or it is final. */
type Charges = Map<string, JournalCharge | undefined>;

/** Charges that this process has counted, so that runs that share a budget count each of them once. */
const chargesOfBudgets = new WeakMap<Budget, Charges>();

/** Counts the cost of a journal's entries in the budget of a batch. */
export class JournalCharges {
  readonly #tryon: TryOn;
  readonly #writer: JournalWriter;
  readonly #budget: Budget;
  readonly #charges: Charges;
  #loading: Promise<void> | undefined;

  constructor(tryon: TryOn, writer: JournalWriter, budget: Budget) {
    this.#tryon = tryon;
    this.#writer = writer;
    this.#budget = budget;
    this.#charges = chargesOfBudgets.get(budget) ?? new Map<string, JournalCharge | undefined>();
    chargesOfBudgets.set(budget, this.#charges);
  }

  /** Counts the entries of earlier runs, once. Throws the error that stops the batch if the journal cannot be read. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  /** Returns the charge of an item that an earlier run submitted. */
  of({ idempotencyKey }: JournalEntry): JournalCharge | undefined {
    return this.#charges.get(idempotencyKey);
  }

  /** Leaves an item of this run to the client, which counts what it submits. */
  leave({ idempotencyKey }: JournalEntry): void {
    this.#charges.set(idempotencyKey, undefined);
  }

  async #load(): Promise<void> {
    let prices: Prices | undefined;
    for await (const entry of this.#writer.list()) {
      const { idempotencyKey, state, size = unknownSize } = entry;
      if (state === "refused" || this.#charges.has(idempotencyKey)) continue;
      let credits = costOf(entry);
      if (credits === undefined) {
        prices ??= await this.#prices();
        credits = highestPriceOf(size, prices);
      }
      const charge = new JournalCharge(this.#budget, credits);
      charge.update(entry);
      this.#charges.set(idempotencyKey, isFinal(entry) ? undefined : charge);
    }
  }

  async #prices(): Promise<Prices> {
    try {
      return (await this.#tryon.costs()).costs;
    } catch {
      return documentPrices;
    }
  }
}

/** Entries of older releases have no size: any size without a price counts at the highest one. */
const unknownSize = "unknown";

/**
 * Credits of one item that an earlier run submitted. The client takes it for a budget when it submits the item again: the
 * item then uses the credits that are reserved for it.
 */
class JournalCharge implements Counted {
  readonly #budget: Budget;
  #own = { spent: 0, reserved: 0 };
  #cost: number;

  constructor(budget: Budget, cost: number) {
    this.#budget = budget;
    this.#cost = cost;
  }

  get countedIn(): Budget {
    return this.#budget;
  }

  get maxCredits(): number {
    return this.#budget.maxCredits;
  }

  get spent(): number {
    return this.#budget.spent - this.#own.spent;
  }

  get reserved(): number {
    return this.#budget.reserved - this.#own.reserved;
  }

  /** Does nothing: the entry says what the item costs, and its key makes one job at most. */
  count(): void {}

  /** Counts what an entry says. */
  update(entry: JournalEntry): void {
    const { spent, reserved } = this.#own;
    this.#cost = costOf(entry) ?? this.#cost;
    const isKnown = entry.state !== "sending";
    this.#own = { spent: isKnown ? this.#cost : 0, reserved: isKnown ? 0 : this.#cost };
    this.#budget.count(this.#own.spent - spent, this.#own.reserved - reserved);
  }
}

/** Returns the cost in credits that the service has reported, if any. */
function costOf({ job }: JournalEntry): number | undefined {
  const cost = job?.data?.cost_credits;
  return typeof cost === "number" && cost >= 0 ? cost : undefined;
}

function isFinal({ state }: JournalEntry): boolean {
  return state === "succeeded" || state === "failed";
}
