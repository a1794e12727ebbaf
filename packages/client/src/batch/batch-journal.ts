import { BatchStoppedError, BudgetError, type TryOn } from "@tryon/client";

import { countCredits, isCredits, type CountedCredits } from "../billing/count-credits.ts";
import { documentPrices, highestPriceOf, type Prices } from "../billing/prices.ts";
import { ageSince, clientClock } from "../config/clock.ts";
import { abortable } from "../http/deadline.ts";
import type { TakeTime } from "../jobs/job-poller.ts";
import { randomKey } from "../jobs/job-submitter.ts";
import type { BudgetLimit, Counted } from "../types/budget.ts";
import { checkEntry, checkOptionalEntry, checkResult, isNumber } from "./check-journal.ts";
import { createClaims } from "./claims.ts";
import { sha256 } from "./digest-input.ts";
import type { ItemClaim, Journal, JournalEntry, SharedJournal } from "./journal.ts";
import { NumberMap } from "./number-map.ts";
import { failuresOf, isRetried, type RetryFailed } from "./retry-failed.ts";

/** Charges by idempotency key. Of a million items, most have ended, and only their number of credits is kept. */
class Charges {
  readonly #open = new Map<string, CountedCredits>();
  /** Credits spent. -1 if the client counts the charge itself. */
  readonly #spent = new NumberMap();

  has(key: string): boolean {
    return this.#open.has(key) || this.#spent.has(key);
  }

  get(key: string): CountedCredits | undefined {
    const spent = this.#spent.get(key) ?? -1;
    return this.#open.get(key) ?? (spent < 0 ? undefined : { spent, reserved: 0 });
  }

  set(key: string, charge: CountedCredits | undefined): void {
    if (charge && charge.reserved > 0) {
      this.#open.set(key, charge);
      return;
    }
    this.#open.delete(key);
    this.#spent.set(key, charge?.spent ?? -1);
  }
}

/** Charges that this process has counted, so that runs that share a budget count each of them once. */
const chargesOfBudgets = new WeakMap<Counted, Charges>();

export interface OpenedItem {
  readonly entry: JournalEntry | undefined;
  /** If true, the item has failed and gets another attempt. */
  readonly isRetried: boolean;
  readonly isHeld: boolean;
  /** If true, the journal has refused the claim: the item has ended or is held. */
  readonly isRefused: boolean;
  /** Date at which the item was opened, by the clock of a shared journal, in milliseconds since 1970. */
  readonly date: number;
  readonly since: () => number;
}

export type BatchJournal = ReturnType<typeof createBatchJournal>;

/**
 * Reads and writes the journal of a batch, and counts its entries in the budget. Calls `stop` if the journal fails.
 *
 * @param limit - Limit of the total of a shared journal, which counts its entries itself.
 * @param budget - Budget in which this process counts the entries.
 */
export function createBatchJournal(
  journal: Journal,
  tryon: TryOn,
  {
    limit,
    budget,
    retryFailed,
  }: {
    readonly limit?: BudgetLimit | undefined;
    readonly budget?: Counted | undefined;
    readonly retryFailed?: RetryFailed | undefined;
  },
  stop: (error: BatchStoppedError) => void,
) {
  const charges: Charges = (budget && chargesOfBudgets.get(budget)) ?? new Charges();
  if (budget) chargesOfBudgets.set(budget, charges);
  let counting: Promise<void> | undefined;
  let reading: Promise<Prices> | undefined;
  const clock = clientClock(tryon.clock);
  const shared: SharedJournal | undefined =
    "claim" in journal ? (journal as SharedJournal) : undefined;
  const claims = shared && createClaims(shared, clock);
  const hasTotal = hasTotalOf(journal);
  const takeTime = shared?.takeTime && {
    submit: takeTimeOf("schedule"),
    poll: takeTimeOf("polls"),
  };
  /** Credits that this process has reserved in the total, by item. */
  const reservedHere = new Map<string, number>();

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
    let sum = 0;
    const isMissing = limit !== undefined && (await readTotal()) === undefined;
    if (!isMissing && !budget) return;
    let prices: Prices | undefined;
    for await (const listed of journal.list()) {
      const entry = checkEntry("list", listed);
      prices ??= await readPrices();
      // An entry with credits counts these, as later changes of it do.
      const { credits } = entry;
      if (isMissing) sum += isCredits(credits) ? credits : totalOf(allCreditsOf(entry, prices));
      for (const one of budget ? attemptsOf(entry) : []) {
        if (!charges.has(one.idempotencyKey)) countNew(one, prices);
      }
    }
    if (isMissing) await readTotal(sum);
  }

  async function readTotal(initial?: number): Promise<number | undefined> {
    const total = await shared?.total?.(initial);
    return total === undefined ? undefined : checkResult("total", total, isNumber);
  }

  function readPrices(): Promise<Prices> {
    return (reading ??= tryon.costs().then(
      ({ costs }) => costs,
      () => documentPrices,
    ));
  }

  /** Returns the credits that an entry counts by itself. */
  function creditsOf(entry: JournalEntry, prices: Prices): CountedCredits {
    // Entries of older releases have no size. Any size without a price counts at the highest one.
    const { state, size = "unknown" } = entry;
    if (state === "refused") return { spent: 0, reserved: 0 };
    return update(entry, { spent: 0, reserved: highestPriceOf(size, prices) });
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

  function allCreditsOf(entry: JournalEntry, prices: Prices): CountedCredits {
    const sum = { spent: 0, reserved: 0 };
    for (const one of attemptsOf(entry)) {
      const { spent, reserved } = creditsOf(one, prices);
      sum.spent += spent;
      sum.reserved += reserved;
    }
    return sum;
  }

  function countNew(entry: JournalEntry, prices: Prices): void {
    if (entry.state === "refused") return;
    const charge = creditsOf(entry, prices);
    budget?.count(charge.spent, charge.reserved);
    charges.set(entry.idempotencyKey, charge);
  }

  /** Returns the credits of an entry from those that counted before. */
  function update({ state, job }: JournalEntry, counted: CountedCredits): CountedCredits {
    return state === "sending"
      ? counted
      : countCredits(counted, { ...job?.data }, tryon.hasTestKey);
  }

  /** Counts what an entry says instead of what counted before. */
  function count(entry: JournalEntry, counted: CountedCredits): void {
    const charge = update(entry, counted);
    budget?.count(charge.spent - counted.spent, charge.reserved - counted.reserved);
    charges.set(entry.idempotencyKey, charge);
  }

  /** Writes an entry of a claimed item with its credits, and reserves them in the total before it is sent. */
  async function putShared(entry: JournalEntry, isRetry: boolean): Promise<boolean> {
    const { id, state } = entry;
    if (!claims || !hasTotal) return (await claims?.put(entry)) === true;
    const prices = await readPrices();
    const credits = allCreditsOf(entry, prices);
    const within = state === "sending" ? limit?.maxCredits : undefined;
    const kept = await claims.put({ ...entry, credits: totalOf(credits) }, within);
    if (kept !== "full") {
      if (kept && credits.reserved > 0) reservedHere.set(id, credits.reserved);
      else reservedHere.delete(id);
      return kept;
    }
    const total = await readTotal();
    // Another program has deleted it.
    if (total === undefined || limit === undefined) throw new TypeError("The total is missing.");
    const reserved = [...reservedHere.values()].reduce((sum, one) => sum + one, 0);
    const spent = Math.max(0, total - reserved);
    const { maxCredits } = limit;
    const counted = { maxCredits, spent, reserved, count: () => undefined };
    throw new BudgetError(counted, totalOf(creditsOf(entry, prices)), isRetry);
  }

  function takeTimeOf(kind: "schedule" | "polls"): TakeTime {
    let schedule: Promise<string> | undefined;
    return async (duration) => {
      schedule ??= tryon.digestKey((key) => sha256(`tryon-${kind} ${key}`));
      const name = await schedule;
      return guard("written", "", async () =>
        checkResult("takeTime", await shared?.takeTime?.(name, duration), isNumber),
      );
    };
  }

  return {
    /**
     * Returns the last entry of an item, once all entries count in the budget. Claims the item in a shared journal.
     * `isHeld` is true if another process is working on it.
     *
     * @param refused - Claim that the journal has refused, if it is known.
     */
    async open(id: string, signal: AbortSignal, refused?: ItemClaim): Promise<OpenedItem> {
      if (budget || limit) await abortable((counting ??= guard("read", "", countEntries)), signal);
      const since = ageSince(clock);
      const here = clock.now();
      if (!claims) {
        const entry = await abortable(
          guard("read", id, async () => checkOptionalEntry("get", await journal.get(id))),
          signal,
        );
        return { ...readEntry(entry, true), isHeld: false, isRefused: false, date: here, since };
      }
      signal.throwIfAborted();
      const claimItem = (isRetry: boolean) => guard("read", id, () => claims.claim(id, isRetry));
      let claim = refused ?? (await claimItem(false));
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
          else if (!charges.has(entry.idempotencyKey)) countNew(entry, await readPrices());
        }
      }
      const isClaimed = state === "claimed";
      return { ...readEntry(claim.entry, isClaimed), isHeld, isRefused: !isClaimed, date, since };
    },

    /** Returns the claims that the journal would refuse, by id. Undefined if it cannot tell. */
    refused:
      claims &&
      shared?.refusedClaims &&
      ((ids: readonly string[]) => guard("read", "", () => claims.refused(ids))),

    async close(id: string): Promise<void> {
      await claims?.release(id).catch(() => undefined);
    },

    /**
     * Writes an entry. Returns false if another process has taken over the item.
     *
     * @throws `budget_exceeded` if the entry is to be sent, and its credits do not fit into the total
     */
    async put(entry: JournalEntry, isRetry = false): Promise<boolean> {
      const { id, idempotencyKey } = entry;
      const charge = charges.get(idempotencyKey);
      if (charge) count(entry, charge);
      else if (budget) charges.set(idempotencyKey, undefined);
      const kept = await guard("written", id, async () => {
        if (claims) return putShared(entry, isRetry).catch(asRefusal);
        await journal.put(entry);
        return true;
      });
      if (typeof kept !== "boolean") throw kept;
      return kept;
    },

    /**
     * Writes an entry of an earlier run once more, as `put` does, if a total depends on it: before it is sent again, since the
     * limit may be lower by now, or if it has no credits, from which later changes start.
     */
    async confirm(entry: JournalEntry): Promise<boolean> {
      const isCounted = entry.state !== "sending" && entry.credits !== undefined;
      return !hasTotal || isCounted || this.put(entry, true);
    },

    /**
     * Takes a part of a schedule that all processes with the journal's storage and the same API key share. Undefined without
     * such schedules.
     */
    takeTime,

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
      return sha256(text);
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

export function hasTotalOf(journal: Journal | undefined): boolean {
  const { total, putWithin }: Partial<Record<keyof SharedJournal, unknown>> = Object(journal);
  return total !== undefined && putWithin !== undefined;
}

function totalOf({ spent, reserved }: CountedCredits): number {
  return spent + reserved;
}

/** Returns the error if the limit refuses an entry, since then the journal works. */
function asRefusal(error: unknown): BudgetError {
  if (error instanceof BudgetError) return error;
  throw error;
}
