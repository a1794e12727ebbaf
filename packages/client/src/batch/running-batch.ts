import {
  Budget,
  InputError,
  isTryOnError,
  type SavedJob,
  type TryOn,
  type TryOnInput,
} from "@tryon/client";

import { isCredits } from "../billing/count-credits.ts";
import { clientClock } from "../config/clock.ts";
import { abortable } from "../http/deadline.ts";
import type { TakeTime } from "../jobs/job-poller.ts";
import type { Counted } from "../types/budget.ts";
import { createBatchJournal, hasTotalOf } from "./batch-journal.ts";
import { HeldItems } from "./held-items.ts";
import { ItemReader, type ReadItem } from "./item-reader.ts";
import { NumberMap } from "./number-map.ts";
import type { BatchItem, BatchItemStatus, ReadOptions } from "./options.ts";
import { isRetried } from "./retry-failed.ts";
import { runItem, type BatchContext, type ItemOutcome } from "./run-item.ts";
import { createStopRule } from "./stop-rule.ts";
import { SubmissionLimiter } from "./submission-limiter.ts";

const minute = 60_000;

export class RunningBatch<Item> {
  readonly #options: ReadOptions<Item>;
  readonly #reader: ItemReader<Item>;
  readonly #context: BatchContext;
  readonly #limiter: SubmissionLimiter;
  readonly #stopAfter: ReturnType<typeof createStopRule>;
  readonly #reading = new AbortController();
  readonly #starting = new AbortController();
  /** Items in flight, each with its own controller, since Node 20 warns about many listeners on one signal. */
  readonly #inFlight = new Map<AbortController, Promise<void>>();
  readonly #unstarted = new Set<number>();
  readonly #held: HeldItems<Item>;
  /** Ids in a batch with a journal, where they must be unique. */
  readonly #ids = new NumberMap();
  readonly #ready: BatchItem<Item>[] = [];
  readonly #waiters: (() => void)[] = [];
  readonly #startedAt: number;
  readonly #total: number | undefined;
  readonly #ended = { succeeded: 0, failed: 0, not_run: 0, fromJournal: 0, credits: 0 };
  readonly #takePollTime: TakeTime | undefined;
  #isReading = true;
  #left: { readonly reason: unknown } | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    tryon: TryOn,
    inputs: Iterable<Item> | AsyncIterable<Item>,
    options: ReadOptions<Item>,
  ) {
    const { budget: given, journal, retryFailed, sync, timeout } = options;
    const { total = lengthOf(inputs) } = options;
    const clock = clientClock(tryon.clock);
    this.#options = options;
    // A `Budget` of another copy of the package also has `count`.
    const isBudget = given && "count" in Object(given);
    const counted = isBudget ? (given as Counted) : given && new Budget(given);
    const limit = hasTotalOf(journal) ? counted : undefined;
    const budget = limit && !isBudget ? undefined : counted;
    const batchJournal =
      journal &&
      createBatchJournal(journal, tryon, { limit, budget, retryFailed }, (error) =>
        this.#stop(error),
      );
    const { submit, poll } = batchJournal?.takeTime ?? {};
    this.#takePollTime = poll;
    this.#limiter = new SubmissionLimiter(tryon, options, this.#starting.signal, submit);
    this.#stopAfter = createStopRule(options);
    const refusedOf = batchJournal?.refused;
    this.#reader = new ItemReader(inputs, this.#reading.signal, refusedOf, (item, index) =>
      this.#idOf(item, index),
    );
    this.#held = new HeldItems(clock, journal, this.#starting.signal, refusedOf, async (retry) => {
      while (!this.#starting.signal.aborted && this.#isFull()) await this.#change();
      const held = retry();
      if (held) this.#start(held);
    });
    this.#startedAt = clock.monotonic();
    this.#total = total;
    this.#context = {
      tryon,
      clock,
      budget,
      sync,
      timeout,
      limiter: this.#limiter,
      lookup: tryon.jobs.lookup(),
      journal: batchJournal,
    };
  }

  async *results(): AsyncGenerator<BatchItem<Item>, void, undefined> {
    const { signal } = this.#options;
    const onAbort = (): void => this.#leave(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    const { pollSchedules } = this.#context.tryon;
    if (this.#takePollTime) pollSchedules.add(this.#takePollTime);
    const reading = this.#readAll();
    try {
      for (;;) {
        if (this.#left) throw this.#left.reason;
        const item = this.#ready.shift();
        if (item) {
          this.#notify();
          yield item;
        } else if (this.#isReading || this.#inFlight.size + this.#held.size > 0) {
          await this.#change();
        } else {
          break;
        }
      }
      if (this.#failure) throw this.#failure.error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#leave(new DOMException("The batch was left.", "AbortError"));
      await reading;
      await Promise.all(this.#inFlight.values());
      if (this.#takePollTime) pollSchedules.delete(this.#takePollTime);
    }
  }

  /** Reads no other item. The batch throws the error after it has yielded the items that it has read. */
  #finishWith(error: unknown): void {
    this.#failure ??= { error };
    this.#reading.abort(error);
    this.#notify();
  }

  /** Reads and starts no other item. Items that have been read and not started fail with the error. */
  #stop(error: unknown): void {
    this.#finishWith(error);
    this.#starting.abort(error);
  }

  #leave(reason: unknown): void {
    this.#left ??= { reason };
    this.#held.clear();
    this.#reading.abort(reason);
    this.#starting.abort(reason);
    for (const wait of this.#inFlight.keys()) wait.abort(reason);
    this.#notify();
  }

  async #readAll(): Promise<void> {
    const { signal } = this.#reading;
    try {
      for (;;) {
        while (!signal.aborted && !this.#hasRoom()) await this.#change();
        if (signal.aborted) break;
        const next = await this.#reader.next();
        if (!next) break;
        this.#start(next);
      }
    } catch (error) {
      if (!signal.aborted) this.#finishWith(error);
    }
    // Items that were read ahead end like all others.
    for (let next = this.#reader.shift(); next && !this.#left; next = this.#reader.shift()) {
      while (!this.#starting.signal.aborted && this.#isFull()) await this.#change();
      this.#start(next);
    }
    await this.#reader.close();
    this.#isReading = false;
    this.#notify();
  }

  #hasRoom(): boolean {
    const { readAhead } = this.#limiter;
    return !this.#isFull() && !this.#held.isFull && this.#unstarted.size < readAhead;
  }

  #isFull(): boolean {
    return this.#limiter.isFull(this.#itemCount);
  }

  get #itemCount(): number {
    return this.#inFlight.size + this.#ready.length;
  }

  #start(read: ReadItem<Item>): void {
    const wait = new AbortController();
    const running = this.#run(read, wait.signal).finally(() => {
      this.#inFlight.delete(wait);
      this.#notify();
    });
    this.#inFlight.set(wait, running);
  }

  async #run(read: ReadItem<Item>, signal: AbortSignal): Promise<void> {
    const { item, index, id: known, refused } = read;
    const { journal } = this.#context;
    const { retryFailed } = this.#options;
    const started = (): void => {
      this.#unstarted.delete(index);
      this.#notify();
    };
    // An item that has ended needs no start.
    if (!refused) this.#unstarted.add(index);
    const turn = async (): Promise<void> => {
      await this.#limiter.acquire();
      started();
    };
    let id = known ?? String(index);
    let outcome: ItemOutcome;
    let failedJobs: readonly SavedJob[] = [];
    let attempts = 0;
    for (let last: ItemOutcome | undefined; ; last = outcome) {
      try {
        if (last === undefined) id = known ?? this.#idOf(item, index);
        const opened = await journal?.open(id, signal, last ? undefined : refused);
        if (opened) this.#reader.opened(opened.isRefused);
        if (opened?.isHeld) {
          outcome = { isLost: true };
        } else {
          const input = await abortable(this.#inputOf(item, index), signal);
          outcome = await runItem(this.#context, { id, input, opened, signal, turn });
        }
      } catch (error) {
        outcome = { error };
      }
      const { job, error, result, fromJournal, isLost = false } = outcome;
      if (this.#left) break;
      failedJobs = outcome.failedJobs ?? failedJobs;
      attempts = failedJobs.length + (job ? 1 : 0);
      const isFailed = !fromJournal && !isLost && isTryOnError(error, "job_failed");
      if (job && isFailed) failedJobs = [...failedJobs, job.toJSON()];
      const isStopped = this.#starting.signal.aborted;
      const hasNext = isFailed && !isStopped && isRetried(retryFailed, failedJobs);
      if (!fromJournal && (result || !isLost)) this.#adjust(outcome, hasNext);
      // The failure stays if another attempt was not made.
      if (last && isNotRun(outcome)) outcome = last;
      if (!hasNext) break;
      this.#countCredits(outcome);
    }
    await journal?.close(id);
    started();
    if (this.#left) return;
    const { aborted: isStopped, reason } = this.#starting.signal;
    if (outcome.isLost && !isStopped) return this.#held.add({ ...read, id, refused: undefined });
    if (outcome.isLost && !outcome.result) outcome = { error: outcome.error ?? reason };
    const { result, error, job, fromJournal = false } = outcome;
    const common = { id, index, input: item, fromJournal, attempts };
    const status = isNotRun(outcome) ? "not_run" : "failed";
    if (result) {
      this.#ready.push({
        ...common,
        result,
        status: "succeeded",
        error: undefined,
        job: result.job,
      });
    } else {
      const thrown = error instanceof Error ? error : new Error(String(error), { cause: error });
      this.#ready.push({ ...common, result, status, error: thrown, job });
    }
    this.#report(outcome, result ? "succeeded" : status);
  }

  #idOf(item: Item, index: number): string {
    const { id: idOf, journal } = this.#options;
    if (!idOf) return String(index);
    const id: unknown = idOf(item, index);
    if (typeof id !== "string" || id === "") {
      throw new InputError("id", `of the item at index ${index} must be a non-empty string`, {
        hint: "Nothing was sent. Return an id for each item.",
      });
    }
    if (this.#ids.has(id)) {
      const problem = `${JSON.stringify(id)} of the item at index ${index} is a duplicate`;
      throw new InputError("id", problem, {
        hint: "Nothing was sent. In a batch with a journal, each item needs a unique id.",
      });
    }
    if (journal) this.#ids.set(id, index);
    return id;
  }

  async #inputOf(item: Item, index: number): Promise<TryOnInput> {
    const { input } = this.#options;
    // The types require `input` if the items are not inputs.
    return input ? input(item, index) : (item as TryOnInput);
  }

  #adjust(outcome: ItemOutcome, hasNext: boolean): void {
    this.#limiter.ended(outcome, this.#itemCount);
    if (hasNext) return;
    const stop = this.#stopAfter(outcome.error);
    // Items that the budget has accepted still run.
    if (stop && isTryOnError(outcome.error, "budget_exceeded")) this.#finishWith(stop);
    else if (stop) this.#stop(stop);
  }

  #countCredits({ job }: ItemOutcome): void {
    const cost = job?.data.cost_credits;
    if (isCredits(cost)) this.#ended.credits += cost;
  }

  /** Reports an ended item. A failing callback never ends the batch. */
  #report(outcome: ItemOutcome, status: BatchItemStatus): void {
    const ended = this.#ended;
    ended[status] += 1;
    if (outcome.fromJournal) ended.fromJournal += 1;
    else this.#countCredits(outcome);
    const { succeeded, failed, not_run: notRun, credits } = ended;
    const total = this.#total;
    const done = succeeded + failed;
    const elapsed = this.#context.clock.monotonic() - this.#startedAt;
    const ownRate = ((done - ended.fromJournal) / elapsed) * minute;
    const rate = ownRate > 0 && elapsed > 0 ? ownRate : undefined;
    const left = total === undefined ? undefined : Math.max(0, total - done);
    const eta = left === 0 ? 0 : left && rate && Math.round((left / rate) * minute);
    // The item that is reported is still in the map.
    const inFlight = this.#inFlight.size - 1 + this.#held.size;
    const progress = { done, succeeded, failed, notRun, inFlight, total, credits, rate, eta };
    const call = async (): Promise<unknown> => this.#options.onProgress?.(progress);
    call().catch(() => undefined);
  }

  /** Resolves at the next change. Check the condition, then call it without an `await` between. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  #notify(): void {
    for (const resume of this.#waiters.splice(0)) resume();
  }
}

/** Returns true if nothing was sent for an item, since the batch had stopped or the budget was reached. */
function isNotRun({ error, job }: ItemOutcome): boolean {
  return !job && (isTryOnError(error, "batch_stopped") || isTryOnError(error, "budget_exceeded"));
}

function lengthOf(items: unknown): number | undefined {
  if (Array.isArray(items)) return items.length;
  return items instanceof Set || items instanceof Map ? items.size : undefined;
}
