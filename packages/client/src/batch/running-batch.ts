import { isTryOnError, type TryOn } from "@tryon/client";

import { abortable } from "../http/deadline.ts";
import { batchItem, type BatchItem } from "./batch-item.ts";
import { BatchJournal } from "./batch-journal.ts";
import { ItemSource } from "./item-source.ts";
import { JobLookup } from "./job-lookup.ts";
import type { ReadOptions } from "./options.ts";
import { ProgressCount } from "./progress.ts";
import { contextOf, runItem, type ItemOutcome, type ItemTask } from "./run-item.ts";
import { runJournaledItem } from "./run-journaled-item.ts";
import { StopRule } from "./stop-rule.ts";
import { SubmissionLimiter } from "./submission-limiter.ts";

/** One run of a batch: reads the items, runs them and yields them as they end. */
export class RunningBatch<Item> {
  readonly #tryon: TryOn;
  readonly #options: ReadOptions<Item>;
  readonly #source: ItemSource<Item>;
  readonly #runTask: (task: ItemTask) => Promise<ItemOutcome>;
  readonly #limiter: SubmissionLimiter;
  readonly #rule: StopRule;
  readonly #progress: ProgressCount;
  /** Aborted when the batch reads no other item. */
  readonly #reading = new AbortController();
  /** Aborted when the batch starts no other item, including those already read. */
  readonly #starting = new AbortController();
  /** Items in flight, each with its own controller, since Node 20 warns about many listeners on one signal. */
  readonly #inFlight = new Map<AbortController, Promise<void>>();
  /** Indexes of the items that have been read and not started. */
  readonly #unstarted = new Set<number>();
  readonly #ready: BatchItem<Item>[] = [];
  readonly #waiters: (() => void)[] = [];
  #isReading = true;
  #count = 0;
  #left: { readonly reason: unknown } | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    tryon: TryOn,
    inputs: Iterable<Item> | AsyncIterable<Item>,
    options: ReadOptions<Item>,
  ) {
    const { journal, onProgress } = options;
    this.#tryon = tryon;
    this.#options = options;
    this.#source = new ItemSource(inputs, options);
    this.#limiter = new SubmissionLimiter(tryon, options, this.#starting.signal);
    this.#rule = new StopRule(options);
    this.#progress = new ProgressCount(tryon.clock, this.#source.total, onProgress);
    const context = contextOf(tryon, options);
    const journaled = journal && {
      ...context,
      journal: new BatchJournal(journal, context, (error) => this.#stop(error)),
      lookup: new JobLookup(tryon),
      limiter: this.#limiter,
    };
    this.#runTask = (task) =>
      journaled ? runJournaledItem(journaled, task) : runItem(context, task);
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
          this.#notify();
          yield item;
        } else if (this.#isReading || this.#inFlight.size > 0) {
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

  /** Stops waiting for all items. */
  #leave(reason: unknown): void {
    this.#left ??= { reason };
    this.#reading.abort(reason);
    this.#starting.abort(reason);
    for (const wait of this.#inFlight.keys()) wait.abort(reason);
    this.#notify();
  }

  /** Reads each item when there is room for it. Never rejects. */
  async #readAll(): Promise<void> {
    const { signal } = this.#reading;
    try {
      for (;;) {
        while (!signal.aborted && !this.#hasRoom()) await this.#change();
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
    this.#notify();
  }

  #hasRoom(): boolean {
    return !this.#limiter.isFull(this.#items) && this.#unstarted.size < this.#limiter.readAhead;
  }

  /** Number of items in flight and of those not yet yielded. */
  get #items(): number {
    return this.#inFlight.size + this.#ready.length;
  }

  #start(input: Item): void {
    const wait = new AbortController();
    const running = this.#run(input, this.#count, wait.signal).finally(() => {
      this.#inFlight.delete(wait);
      this.#notify();
    });
    this.#count += 1;
    this.#inFlight.set(wait, running);
  }

  /** Runs one item and queues its outcome. Never rejects. */
  async #run(input: Item, index: number, signal: AbortSignal): Promise<void> {
    const readAt = this.#tryon.clock.now();
    const started = (): void => {
      this.#unstarted.delete(index);
      this.#notify();
    };
    this.#unstarted.add(index);
    const turn = async (): Promise<void> => {
      await this.#limiter.acquire(readAt);
      started();
    };
    let id = String(index);
    let outcome: ItemOutcome;
    try {
      id = await this.#source.idOf(input, index);
      const tryOnInput = await abortable(this.#source.inputOf(input, index), signal);
      outcome = await this.#runTask({ id, input: tryOnInput, signal, turn });
    } catch (error) {
      outcome = { error };
    }
    started();
    if (this.#left) return;
    if (!outcome.fromJournal) this.#adjust(outcome);
    this.#ready.push(batchItem({ id, index, input }, outcome));
    this.#progress.report(outcome, this.#inFlight.size - 1);
  }

  /** Adjusts the limits to the outcome of an item, and stops the batch if necessary. */
  #adjust(outcome: ItemOutcome): void {
    this.#limiter.ended(outcome, this.#items);
    const stop = this.#rule.after(outcome.error);
    // Items that the budget has accepted still run.
    if (stop && isTryOnError(outcome.error, "budget_exceeded")) this.#finishWith(stop);
    else if (stop) this.#stop(stop);
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
