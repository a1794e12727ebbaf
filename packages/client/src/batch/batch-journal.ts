import { BatchStoppedError, type Budget, type TryOn } from "@tryon/client";

import { documentPrices, highestPriceOf, type Prices } from "../billing/prices.ts";
import type { Counted } from "../types/budget.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import type { BatchContext } from "./run-item.ts";

/** Charges by idempotency key. Without a value, the client counts the charge itself. */
type Charges = Map<string, JournalCharge | undefined>;

/** Charges that this process has counted, so that runs that share a budget count each of them once. */
const chargesOfBudgets = new WeakMap<Budget, Charges>();

/** Reads and writes the journal of a batch, and counts its entries in the budget. Stops the batch if the journal fails. */
export class BatchJournal {
  readonly #journal: Journal;
  readonly #tryon: TryOn;
  readonly #budget: Budget | undefined;
  readonly #stop: (error: BatchStoppedError) => void;
  readonly #charges: Charges;
  #counting: Promise<void> | undefined;

  constructor(
    journal: Journal,
    { tryon, budget }: BatchContext,
    stop: (error: BatchStoppedError) => void,
  ) {
    this.#journal = journal;
    this.#tryon = tryon;
    this.#budget = budget;
    this.#stop = stop;
    this.#charges = (budget && chargesOfBudgets.get(budget)) ?? new Map();
    if (budget) chargesOfBudgets.set(budget, this.#charges);
  }

  /** Counts the entries of earlier runs in the budget, once. Throws the error that stops the batch if that fails. */
  async countEntries(): Promise<void> {
    const budget = this.#budget;
    if (budget) await (this.#counting ??= this.#guard("read", "", () => this.#count(budget)));
  }

  /** Returns the last entry of an item. Throws the error that stops the batch if that fails. */
  get(id: string): Promise<JournalEntry | undefined> {
    return this.#guard("read", id, () => this.#journal.get(id));
  }

  /** Writes an entry before anything is sent. Throws the error that stops the batch if that fails. */
  async begin(entry: JournalEntry): Promise<void> {
    await this.#guard("written", entry.id, () => this.#journal.put(entry));
    this.#charges.set(entry.idempotencyKey, undefined);
  }

  /** Writes an entry of an item that was sent. Stops the batch if that fails, but not the item. */
  async put(entry: JournalEntry): Promise<void> {
    this.#charges.get(entry.idempotencyKey)?.update(entry);
    const put = this.#guard("written", entry.id, () => this.#journal.put(entry));
    await put.catch(() => undefined);
  }

  /** Returns the budget for the submission of an item. An item of an earlier run uses what is reserved for it. */
  budgetOf({ idempotencyKey }: JournalEntry): Counted | undefined {
    return this.#charges.get(idempotencyKey) ?? this.#budget;
  }

  async #count(budget: Budget): Promise<void> {
    let prices: Prices | undefined;
    for await (const entry of this.#journal.list()) {
      // Entries of older releases have no size. Any size without a price counts at the highest one.
      const { idempotencyKey, state, size = "unknown" } = entry;
      if (state === "refused" || this.#charges.has(idempotencyKey)) continue;
      let credits = costOf(entry);
      if (credits === undefined) {
        prices ??= await this.#prices();
        credits = highestPriceOf(size, prices);
      }
      const charge = new JournalCharge(budget, credits);
      charge.update(entry);
      this.#charges.set(idempotencyKey, charge);
    }
  }

  async #prices(): Promise<Prices> {
    try {
      return (await this.#tryon.costs()).costs;
    } catch {
      return documentPrices;
    }
  }

  async #guard<Result>(
    done: "read" | "written",
    id: string,
    access: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await access();
    } catch (cause) {
      const error = new BatchStoppedError(
        "journal",
        `The batch stopped: the journal could not be ${done}${id && ` for item ${JSON.stringify(id)}`}.`,
        "Fix the journal and run the batch again. A batch sends nothing that its journal does not contain.",
        cause,
      );
      this.#stop(error);
      throw error;
    }
  }
}

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

  /** A client with the same budget counts the item only here. */
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
