import { BatchStoppedError, type SavedJob, type TryOn } from "@tryon/client";

import { documentPrices, highestPriceOf, type Prices } from "../billing/prices.ts";
import type { Counted } from "../types/budget.ts";

/**
 * State of an item in a journal.
 *
 * - `sending`: the batch may have sent the submission, and the service may have received it.
 * - `submitted`: the service created the job.
 * - `succeeded`, `failed`: the job has ended.
 * - `refused`: no job was created. The item can be submitted again, with the same or another input.
 */
export type JournalState = "sending" | "submitted" | "succeeded" | "failed" | "refused";

/** Journal entry of one item. It contains no image, API key or signed URL. */
export interface JournalEntry {
  /** Id that the `id` option returned. */
  readonly id: string;
  readonly state: JournalState;
  /** Idempotency key of the item's submission. It changes only after a 400 or 402. */
  readonly idempotencyKey: string;
  /** SHA-256 of the input's fields and image bytes, in hexadecimal. */
  readonly digest: string;
  /** If true, the submission waits for the result. Repeated submissions must send the same value. */
  readonly sync: boolean;
  /** Output size, which sets the price. Missing in entries of older releases: they count at the highest price. */
  readonly size?: string | undefined;
  /** Time just before the first request, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The job, once it is known. */
  readonly job?: SavedJob | undefined;
}

/**
 * Storage in which a batch records each step, so that it can run again after a crash without paying twice. Only one batch
 * at a time may use it.
 */
export interface Journal {
  /** Returns the last entry of an item, from any run. */
  get(id: string): Promise<JournalEntry | undefined>;
  /** Returns the last entry of each item, in any order. A batch with a `budget` calls it once, before it sends anything. */
  list(): Iterable<JournalEntry> | AsyncIterable<JournalEntry>;
  /** Stores an entry. Resolves once the entry would survive a crash of the program and of the machine. */
  put(entry: JournalEntry): Promise<void>;
}

/** Credits of an item of an earlier run, as the budget counts them. */
interface JournalCharge {
  readonly cost: number;
  readonly spent: number;
  readonly reserved: number;
}

/** Charges by idempotency key. Without a value, the client counts the charge itself. */
type Charges = Map<string, JournalCharge | undefined>;

/** Charges that this process has counted, so that runs that share a budget count each of them once. */
const chargesOfBudgets = new WeakMap<Counted, Charges>();

/** Journal of a running batch. */
export type BatchJournal = ReturnType<typeof createBatchJournal>;

/** Reads and writes the journal of a batch, and counts its entries in the budget. Calls `stop` if the journal fails. */
export function createBatchJournal(
  journal: Journal,
  tryon: TryOn,
  budget: Counted | undefined,
  stop: (error: BatchStoppedError) => void,
) {
  const charges: Charges = (budget && chargesOfBudgets.get(budget)) ?? new Map();
  if (budget) chargesOfBudgets.set(budget, charges);
  let counting: Promise<void> | undefined;

  /** Throws the error that stops the batch if the access fails. */
  async function guard<Result>(
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
      stop(error);
      throw error;
    }
  }

  async function countEntries(): Promise<void> {
    let prices: Prices | undefined;
    for await (const entry of journal.list()) {
      // Entries of older releases have no size. Any size without a price counts at the highest one.
      const { idempotencyKey, state, size = "unknown" } = entry;
      if (state === "refused" || charges.has(idempotencyKey)) continue;
      let cost = costOf(entry);
      if (cost === undefined) {
        prices ??= await tryon.costs().then(
          ({ costs }) => costs,
          () => documentPrices,
        );
        cost = highestPriceOf(size, prices);
      }
      count(entry, { cost, spent: 0, reserved: 0 });
    }
  }

  /** Counts what an entry says. */
  function count(entry: JournalEntry, { cost: known, spent, reserved }: JournalCharge): void {
    const cost = costOf(entry) ?? known;
    const isKnown = entry.state !== "sending";
    const charge = { cost, spent: isKnown ? cost : 0, reserved: isKnown ? 0 : cost };
    budget?.count(charge.spent - spent, charge.reserved - reserved);
    charges.set(entry.idempotencyKey, charge);
  }

  return {
    /** Returns the last entry of an item, once all entries count in the budget. */
    async get(id: string): Promise<JournalEntry | undefined> {
      if (budget) await (counting ??= guard("read", "", countEntries));
      return guard("read", id, () => journal.get(id));
    },

    /** Writes an entry. */
    put(entry: JournalEntry): Promise<void> {
      const { id, idempotencyKey } = entry;
      const charge = charges.get(idempotencyKey);
      if (charge) count(entry, charge);
      else charges.set(idempotencyKey, undefined);
      return guard("written", id, () => journal.put(entry));
    },

    /**
     * Returns the budget for the submission of an item. An item of an earlier run uses the credits that are reserved for it,
     * and only its entries count.
     */
    budgetOf({ idempotencyKey }: JournalEntry): Counted | undefined {
      const chargeOf = () => charges.get(idempotencyKey);
      if (!budget || !chargeOf()) return budget;
      return {
        // A client with the same budget counts the item only here.
        countedIn: budget,
        maxCredits: budget.maxCredits,
        get spent() {
          return budget.spent - (chargeOf()?.spent ?? 0);
        },
        get reserved() {
          return budget.reserved - (chargeOf()?.reserved ?? 0);
        },
        count: () => undefined,
      };
    },
  };
}

/** Returns the cost in credits that the service has reported, if any. */
function costOf({ job }: JournalEntry): number | undefined {
  const cost = job?.data?.cost_credits;
  return typeof cost === "number" && cost >= 0 ? cost : undefined;
}
