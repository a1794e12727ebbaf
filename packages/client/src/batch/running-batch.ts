import {
  Budget,
  InputError,
  isTryOnError,
  type BudgetLimit,
  type TryOn,
  type TryOnInput,
} from "@tryon/client";

import { isSyncCut } from "../jobs/sync-cut.ts";
import { abortable } from "../http/deadline.ts";
import type { BatchItem } from "./batch-item.ts";
import { initialWindow, nextWindow, type ConcurrencyWindow } from "./concurrency-window.ts";
import { JournalCharges } from "./journal-charges.ts";
import { JournalWriter } from "./journal-writer.ts";
import { runJournaledItem } from "./run-journaled-item.ts";
import { runItem } from "./run-item.ts";
import { JobLookup } from "./job-lookup.ts";
import type { ReadOptions } from "./options.ts";
import { SubmissionLimiter } from "./submission-limiter.ts";
import { ProgressCount } from "./progress.ts";
import { lengthOf, ItemSource } from "./item-source.ts";
import { defaultMaxBlocked, StopRule, stoppingCodes } from "./stop-rule.ts";
import { isTransientFailure, lastThrottledAt } from "./concurrency-window.ts";
import type { ItemOutcome, ItemTask } from "./batch-context.ts";

/** One run of a batch: reads the items, runs them and yields them as they end. */
export class RunningBatch<Item> {
  readonly #tryon: TryOn;
  readonly #options: ReadOptions<Item>;
  readonly #source: ItemSource<Item>;
  readonly #work: (task: ItemTask) => Promise<ItemOutcome>;
  readonly #limiter: SubmissionLimiter;
  readonly #rule: StopRule;
  readonly #progress: ProgressCount;
  /** Aborted when the batch reads no other item. */
  readonly #reading = new AbortController();
  /** Aborted when the batch starts no other item, including those already read. */
  readonly #starting = new AbortController();
  /** One controller per item, aborted when the batch no longer waits for the item. */
  readonly #waits = new Set<AbortController>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #ready: BatchItem<Item>[] = [];
  readonly #changed = new ChangeSignal();
  readonly #ids = new Set<string>();
  #window: ConcurrencyWindow;
  #isReading = true;
  #count = 0;
  /** Number of items that have been read and not started. */
  #unstarted = 0;
  #left: { readonly reason: unknown } | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    tryon: TryOn,
    inputs: Iterable<Item> | AsyncIterable<Item>,
    options: ReadOptions<Item>,
  ) {
    const { concurrency = "auto", journal, sync, timeout, total } = options;
    const { stopOn = stoppingCodes, stopAfterContentBlocked = defaultMaxBlocked } = options;
    this.#tryon = tryon;
    this.#options = options;
    this.#source = new ItemSource(inputs);
    this.#window = concurrency === "auto" ? initialWindow : { ...initialWindow, size: concurrency };
    this.#limiter = new SubmissionLimiter(tryon, sync !== false, this.#starting.signal);
    this.#rule = new StopRule(stopOn, stopAfterContentBlocked);
    this.#progress = new ProgressCount(tryon.clock.now(), total ?? lengthOf(inputs));
    const budget = budgetOf(options.budget);
    const context = { tryon, budget, sync, timeout };
    const writer = journal && new JournalWriter(journal, (error) => this.#stop(error));
    const journaled = writer && {
      ...context,
      writer,
      charges: budget && new JournalCharges(tryon, writer, budget),
      lookup: new JobLookup(tryon),
      isHeld: () => this.#limiter.held,
    };
    this.#work = (task) => (journaled ? runJournaledItem(journaled, task) : runItem(context, task));
  }

  /** Yields the items in the order in which they end. */
  async *results(): AsyncGenerator<BatchItem<Item>, void, undefined> {
    const { signal } = this.#options;
    const onAbort = (): void => this.#leave(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    const reading = this.#readAll();
    try {
      for (;;) {
        if (this.#left) throw this.#left.reason;
        const item = this.#ready.shift();
        if (item) {
          this.#changed.notify();
          yield item;
        } else if (this.#isReading || this.#tasks.size > 0) {
          await this.#changed.wait();
        } else {
          break;
        }
      }
      if (this.#failure) throw this.#failure.error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#leave(new DOMException("The batch was left.", "AbortError"));
      await reading;
      await Promise.all(this.#tasks);
    }
  }

  /** Reads no other item. The batch throws the error after it has yielded the items that it has read. */
  #finishWith(error: unknown): void {
    this.#failure ??= { error };
    this.#reading.abort(error);
    this.#changed.notify();
  }

  /** Reads and starts no other item. Items that have been read and not started fail with the error. */
  #stop(error: unknown): void {
    this.#finishWith(error);
    this.#starting.abort(error);
  }

  /** Stops waiting for all items. */
  #leave(reason: unknown): void {
    this.#left ??= { reason };
    this.#reading.abort(reason);
    this.#starting.abort(reason);
    for (const wait of this.#waits) wait.abort(reason);
    this.#changed.notify();
  }

  /** Reads each item when there is room for it. Never rejects. */
  async #readAll(): Promise<void> {
    const { signal } = this.#reading;
    try {
      for (;;) {
        while (!signal.aborted && !this.#hasRoom()) await this.#changed.wait();
        if (signal.aborted) break;
        const next = await abortable(this.#source.next(), signal);
        if (next === undefined) break;
        this.#start(next.item);
      }
    } catch (error) {
      if (!signal.aborted) this.#finishWith(error);
    }
    await this.#source.close();
    this.#isReading = false;
    this.#changed.notify();
  }

  #hasRoom(): boolean {
    return !this.#isFull() && this.#unstarted < this.#limiter.readAhead;
  }

  /** Returns true if the items in flight and those not yet yielded fill the window. */
  #isFull(): boolean {
    return this.#tasks.size + this.#ready.length >= Math.floor(this.#window.size);
  }

  #start(input: Item): void {
    const task = this.#run(input, this.#count).finally(() => {
      this.#tasks.delete(task);
      this.#changed.notify();
    });
    this.#count += 1;
    this.#tasks.add(task);
  }

  /** Runs one item and queues its outcome. Never rejects. */
  async #run(input: Item, index: number): Promise<void> {
    const wait = new AbortController();
    this.#waits.add(wait);
    this.#unstarted += 1;
    let isStarted = false;
    const started = (): void => {
      if (!isStarted) this.#unstarted -= 1;
      isStarted = true;
      this.#changed.notify();
    };
    const readAt = this.#tryon.clock.now();
    const turn = async (): Promise<void> => {
      this.#limiter.prepared(readAt);
      await this.#limiter.acquire();
      started();
    };
    let id = String(index);
    let end: ItemOutcome;
    try {
      id = this.#idOf(input, index);
      const tryOnInput = await abortable(this.#inputOf(input, index), wait.signal);
      end = await this.#work({ id, input: tryOnInput, signal: wait.signal, turn });
    } catch (error) {
      end = { error };
    }
    this.#waits.delete(wait);
    this.#adjust(end);
    started();
    if (this.#left) return;
    this.#ready.push(itemOf({ id, index, input, fromJournal: end.fromJournal === true }, end));
    this.#report(end);
  }

  #idOf(input: Item, index: number): string {
    const { id: idOf, journal } = this.#options;
    if (!idOf) return String(index);
    const id: unknown = idOf(input, index);
    if (typeof id !== "string" || id === "") {
      throw new InputError("id", `of the item at index ${index} must be a non-empty string`, {
        hint: "Nothing was sent. Return an id for each item.",
      });
    }
    if (!journal) return id;
    if (this.#ids.has(id)) {
      throw new InputError(
        "id",
        `${JSON.stringify(id)} of the item at index ${index} is a duplicate`,
        {
          hint: "Nothing was sent. In a batch with a journal, each item needs a unique id.",
        },
      );
    }
    this.#ids.add(id);
    return id;
  }

  async #inputOf(item: Item, index: number): Promise<TryOnInput> {
    const { input } = this.#options;
    // The types require `input` if the items are not inputs.
    return input ? input(item, index) : (item as TryOnInput);
  }

  /** Adjusts the rate and the window to the outcome of an item, and stops the batch if necessary. */
  #adjust(end: ItemOutcome): void {
    const { error, attempts = [], startedAt, job, fromJournal } = end;
    if (this.#left || fromJournal) return;
    const failed = isTransientFailure(error);
    if (startedAt !== undefined) {
      if (failed) this.#limiter.failed(startedAt);
      else if (job) this.#limiter.succeeded();
      if (attempts.some(isSyncCut)) this.#limiter.held = false;
      if (this.#options.concurrency === undefined || this.#options.concurrency === "auto") {
        this.#window = nextWindow(this.#window, {
          now: this.#tryon.clock.now(),
          full: this.#isFull(),
          throttledAt: lastThrottledAt(attempts),
          failed,
        });
      }
    }
    const stop = this.#rule.after(error);
    // Items that the budget has accepted still run.
    if (stop && isTryOnError(error, "budget_exceeded")) this.#finishWith(stop);
    else if (stop) this.#stop(stop);
  }

  #report({ result, job, fromJournal = false }: ItemOutcome): void {
    const { onProgress } = this.#options;
    if (!onProgress) return;
    const credits = job?.data.cost_credits;
    this.#progress.add({
      succeeded: result !== undefined,
      fromJournal,
      credits: Number.isFinite(credits) ? (credits ?? 0) : 0,
    });
    try {
      const progress = this.#progress.at(this.#tryon.clock.now(), this.#tasks.size - 1);
      Promise.resolve(onProgress(progress)).catch(() => undefined);
    } catch {
      // A failing callback never ends the batch.
    }
  }
}

/** Returns the budget that all items share. */
function budgetOf(option: Budget | BudgetLimit | undefined): Budget | undefined {
  // A `Budget` of another copy of the package also has `count`.
  return option && "count" in option ? option : option && new Budget(option);
}

type Known<Item> = Pick<BatchItem<Item>, "id" | "index" | "input" | "fromJournal">;

function itemOf<Item>(known: Known<Item>, { result, error, job }: ItemOutcome): BatchItem<Item> {
  if (result) return { ...known, result, error: undefined, job: result.job };
  return {
    ...known,
    result: undefined,
    error: error instanceof Error ? error : new Error(String(error), { cause: error }),
    job: job ?? (isTryOnError(error) ? error.job : undefined),
  };
}

/** Resumes its waiters when something changes. Check the condition, then call `wait` without an `await` between. */
class ChangeSignal {
  #resolve: (() => void) | undefined;
  #change: Promise<void> | undefined;

  /** Resolves at the next `notify`. */
  wait(): Promise<void> {
    return (this.#change ??= new Promise((resolve) => {
      this.#resolve = resolve;
    }));
  }

  notify(): void {
    this.#resolve?.();
    this.#change = undefined;
    this.#resolve = undefined;
  }
}
