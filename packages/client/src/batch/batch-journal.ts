import { BatchStoppedError, type TryOn } from "@tryon/client";

import { countCredits, type CountedCredits } from "../billing/count-credits.ts";
import { documentPrices, highestPriceOf, type Prices } from "../billing/prices.ts";
import { ageSince, clientClock } from "../config/clock.ts";
import { abortable } from "../http/deadline.ts";
import { randomKey } from "../jobs/job-submitter.ts";
import type { Counted } from "../types/budget.ts";
import { checkEntry, checkOptionalEntry } from "./check-journal.ts";
import { createClaims } from "./claims.ts";
import { sha256 } from "./digest-input.ts";
import type { Journal, JournalEntry, SharedJournal } from "./journal.ts";
import { failuresOf, isRetried, type RetryFailed } from "./retry-failed.ts";

/** Charges by idempotency key. Without a value, the client counts the charge itself. */
type Charges = Map<string, CountedCredits | undefined>;

/** Charges that this process has counted, so that runs that share a budget count each of them once. */
const chargesOfBudgets = new WeakMap<Counted, Charges>();

export interface OpenedItem {
  readonly entry: JournalEntry | undefined;
  /** If true, the item has failed and gets another attempt. */
  readonly isRetried: boolean;
  readonly isHeld: boolean;
  /** Date at which the item was opened, by the clock of a shared journal, in milliseconds since 1970. */
  readonly date: number;
  readonly since: () => number;
}

export type BatchJournal = ReturnType<typeof createBatchJournal>;

export function createBatchJournal(
  journal: Journal,
  tryon: TryOn,
  budget: Counted | undefined,
  retryFailed: RetryFailed | undefined,
  stop: (error: BatchStoppedError) => void,
) {
  const charges: Charges = (budget && chargesOfBudgets.get(budget)) ?? new Map();
  if (budget) chargesOfBudgets.set(budget, charges);
  let counting: Promise<void> | undefined;
  let prices: Prices | undefined;
  const clock = clientClock(tryon.clock);
  const claims = "claim" in journal ? createClaims(journal as SharedJournal, clock) : undefined;

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
    for await (const listed of journal.list()) {
      for (const entry of attemptsOf(checkEntry("list", listed))) {
        if (!charges.has(entry.idempotencyKey)) await countNew(entry);
      }
    }
  }

  async function countNew(entry: JournalEntry): Promise<void> {
    // Entries of older releases have no size. Any size without a price counts at the highest one.
    const { state, size = "unknown" } = entry;
    if (state === "refused") return;
    prices ??= await tryon.costs().then(
      ({ costs }) => costs,
      () => documentPrices,
    );
    const reserved = highestPriceOf(size, prices);
    budget?.count(0, reserved);
    count(entry, { spent: 0, reserved });
  }

  /** Adds the decision on another attempt. An attempt that was refused leaves the item as it was before. */
  function readEntry(entry: JournalEntry | undefined, isOwn: boolean) {
    const failures = failuresOf(entry);
    if (isOwn && isRetried(retryFailed, failures)) return { entry, isRetried: true };
    const [job, failedJobs] = [failures.at(-1), failures.slice(0, -1)];
    const isFailed = entry !== undefined && job !== undefined;
    return {
      entry: isFailed ? { ...entry, state: "failed" as const, job, failedJobs } : entry,
      isRetried: false,
    };
  }

  function count({ state, job, idempotencyKey }: JournalEntry, counted: CountedCredits): void {
    const charge =
      state === "sending" ? counted : countCredits(counted, { ...job?.data }, tryon.hasTestKey);
    budget?.count(charge.spent - counted.spent, charge.reserved - counted.reserved);
    charges.set(idempotencyKey, charge);
  }

  return {
    /**
     * Returns the last entry of an item, once all entries count in the budget. Claims the item in a shared journal.
     * `isHeld` is true if another process is working on it.
     */
    async open(id: string, signal: AbortSignal): Promise<OpenedItem> {
      if (budget) await abortable((counting ??= guard("read", "", countEntries)), signal);
      const since = ageSince(clock);
      const here = clock.now();
      if (!claims) {
        const entry = await abortable(
          guard("read", id, async () => checkOptionalEntry("get", await journal.get(id))),
          signal,
        );
        return { ...readEntry(entry, true), isHeld: false, date: here, since };
      }
      signal.throwIfAborted();
      const claimItem = (isRetry: boolean) => guard("read", id, () => claims.claim(id, isRetry));
      let claim = await claimItem(false);
      if (claim.state === "ended" && isRetried(retryFailed, failuresOf(claim.entry))) {
        claim = await claimItem(true);
      }
      const { state, now: date = here } = claim;
      const isHeld = state === "held";
      if (!isHeld && budget && claim.entry) {
        for (const entry of attemptsOf(claim.entry)) {
          // Another process can have changed the entry.
          const charge = charges.get(entry.idempotencyKey);
          if (charge) count(entry, charge);
          else if (!charges.has(entry.idempotencyKey)) await countNew(entry);
        }
      }
      return { ...readEntry(claim.entry, state === "claimed"), isHeld, date, since };
    },

    async close(id: string): Promise<void> {
      await claims?.release(id).catch(() => undefined);
    },

    /** Writes an entry. Returns false if another process has taken over the item. */
    async put(entry: JournalEntry): Promise<boolean> {
      const { id, idempotencyKey } = entry;
      const charge = charges.get(idempotencyKey);
      if (charge) count(entry, charge);
      else charges.set(idempotencyKey, undefined);
      return guard("written", id, async () => {
        if (claims) return claims.put(entry);
        await journal.put(entry);
        return true;
      });
    },

    /** Returns the key of an item's attempt. After a refusal, returns another one than the refused key. */
    async createKey(
      { id, digest, failedJobs = [] }: Pick<JournalEntry, "id" | "digest" | "failedJobs">,
      refused?: string,
    ): Promise<string> {
      const { name } = journal;
      if (name === undefined) return randomKey();
      // Keys of first attempts are those of earlier releases.
      const attempt = failedJobs.length > 0 ? [failedJobs.length + 1] : [];
      const text = JSON.stringify(["tryon-batch", name, id, digest, refused, ...attempt]);
      return sha256(new TextEncoder().encode(text));
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

/** Returns an entry for each attempt of an item. */
function attemptsOf(entry: JournalEntry): readonly JournalEntry[] {
  const { failedJobs = [] } = entry;
  const earlier = failedJobs.map((job) => ({
    ...entry,
    state: "failed" as const,
    idempotencyKey: job.idempotencyKey ?? job.id,
    job,
  }));
  return [...earlier, entry];
}
