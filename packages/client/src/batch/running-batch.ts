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
import type { Counted } from "../types/budget.ts";
import { createBatchJournal, hasTotalOf } from "./batch-journal.ts";
import { createHeldItems } from "./held-items.ts";
import { createItemReader, type ReadItem } from "./item-reader.ts";
import { NumberMap } from "./number-map.ts";
import type { BatchItem, BatchItemStatus, ReadOptions } from "./options.ts";
import { isRetried } from "./retry-failed.ts";
import { runItem, type ItemOutcome } from "./run-item.ts";
import { createStopRule } from "./stop-rule.ts";
import { createSubmissionLimiter } from "./submission-limiter.ts";

const minute = 60_000;

/** Runs a batch whose options are valid. */
export function runBatch<Item>(
  tryon: TryOn,
  inputs: Iterable<Item> | AsyncIterable<Item>,
  options: ReadOptions<Item>,
): AsyncGenerator<BatchItem<Item>, void, undefined> {
  const { budget: given, journal, retryFailed, signal, sync, timeout } = options;
  const { total = lengthOf(inputs) } = options;
  const clock = clientClock(tryon.clock);
  const startedAt = clock.monotonic();
  const reading = new AbortController();
  const starting = new AbortController();
  /** Items in flight, each with its own controller, since Node 20 warns about many listeners on one signal. */
  const inFlight = new Map<AbortController, Promise<void>>();
  const unstarted = new Set<number>();
  /** Ids in a batch with a journal, where they must be unique. */
  const ids = new NumberMap();
  const ready: BatchItem<Item>[] = [];
  const waiters: (() => void)[] = [];
  const ended = { succeeded: 0, failed: 0, not_run: 0, fromJournal: 0, credits: 0 };
  let isReading = true;
  let left: { readonly reason: unknown } | undefined;
  let failure: { readonly error: unknown } | undefined;

  // A `Budget` of another copy of the package also has `count`.
  const isBudget = given && "count" in Object(given);
  const counted = isBudget ? (given as Counted) : given && new Budget(given);
  const limit = hasTotalOf(journal) ? counted : undefined;
  const budget = limit && !isBudget ? undefined : counted;
  const batchJournal =
    journal && createBatchJournal(journal, tryon, { limit, budget, retryFailed }, stop);
  const { submit: takeTime, poll: takePollTime } = batchJournal?.takeTime ?? {};
  const limiter = createSubmissionLimiter(tryon, options, starting.signal, takeTime);
  const stopAfter = createStopRule(options);
  const refusedOf = batchJournal?.refused;
  const reader = createItemReader(inputs, reading.signal, refusedOf, idOf);
  const held = createHeldItems<Item>(clock, journal, starting.signal, refusedOf, async (retry) => {
    await untilRoom();
    const read = retry();
    if (read) start(read);
  });
  const lookup = tryon.jobs.lookup();
  const context = { tryon, clock, budget, sync, timeout, limiter, lookup, journal: batchJournal };

  async function* results(): AsyncGenerator<BatchItem<Item>, void, undefined> {
    const onAbort = (): void => leave(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    const { pollSchedules } = tryon;
    if (takePollTime) pollSchedules.add(takePollTime);
    const allRead = readAll();
    try {
      for (;;) {
        if (left) throw left.reason;
        const item = ready.shift();
        if (item) {
          notify();
          yield item;
        } else if (isReading || inFlight.size + held.size > 0) {
          await change();
        } else {
          break;
        }
      }
      if (failure) throw failure.error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      leave(new DOMException("The batch was left.", "AbortError"));
      await allRead;
      await Promise.all(inFlight.values());
      if (takePollTime) pollSchedules.delete(takePollTime);
    }
  }

  /** Reads no other item. The batch throws the error after it has yielded the items that it has read. */
  function finishWith(error: unknown): void {
    failure ??= { error };
    reading.abort(error);
    notify();
  }

  /** Reads and starts no other item. Items that have been read and not started fail with the error. */
  function stop(error: unknown): void {
    finishWith(error);
    starting.abort(error);
  }

  function leave(reason: unknown): void {
    left ??= { reason };
    held.clear();
    reading.abort(reason);
    starting.abort(reason);
    for (const wait of inFlight.keys()) wait.abort(reason);
    notify();
  }

  async function readAll(): Promise<void> {
    const { signal: stopped } = reading;
    try {
      for (;;) {
        while (!stopped.aborted && !hasRoom()) await change();
        if (stopped.aborted) break;
        const next = await reader.next();
        if (!next) break;
        start(next);
      }
    } catch (error) {
      if (!stopped.aborted) finishWith(error);
    }
    // Items that were read ahead end like all others.
    for (;;) {
      const next = left ? undefined : reader.shift();
      if (!next) break;
      await untilRoom();
      start(next);
    }
    await reader.close();
    isReading = false;
    notify();
  }

  function itemCount(): number {
    return inFlight.size + ready.length;
  }

  function hasRoom(): boolean {
    return !limiter.isFull(itemCount()) && !held.isFull && unstarted.size < limiter.readAhead;
  }

  async function untilRoom(): Promise<void> {
    while (!starting.signal.aborted && limiter.isFull(itemCount())) await change();
  }

  function start(read: ReadItem<Item>): void {
    const wait = new AbortController();
    const running = run(read, wait.signal).finally(() => {
      inFlight.delete(wait);
      notify();
    });
    inFlight.set(wait, running);
  }

  async function run(read: ReadItem<Item>, stopped: AbortSignal): Promise<void> {
    const { item, index, id: known, refused } = read;
    const started = (): void => {
      unstarted.delete(index);
      notify();
    };
    // An item that has ended needs no start.
    if (!refused) unstarted.add(index);
    const turn = async (): Promise<void> => {
      await limiter.acquire();
      started();
    };
    let id = known ?? String(index);
    let outcome: ItemOutcome;
    let failedJobs: readonly SavedJob[] = [];
    let attempts = 0;
    for (let last: ItemOutcome | undefined; ; last = outcome) {
      try {
        if (last === undefined) id = known ?? idOf(item, index);
        const opened = await batchJournal?.open(id, stopped, last ? undefined : refused);
        if (opened) reader.opened(opened.isRefused);
        if (opened?.isHeld) {
          outcome = { isLost: true };
        } else {
          const input = await abortable(inputOf(item, index), stopped);
          outcome = await runItem(context, { id, input, opened, signal: stopped, turn });
        }
      } catch (error) {
        outcome = { error };
      }
      const { job, error, result, fromJournal, isLost = false } = outcome;
      if (left) break;
      failedJobs = outcome.failedJobs ?? failedJobs;
      attempts = failedJobs.length + (job ? 1 : 0);
      const isFailed = !fromJournal && !isLost && isTryOnError(error, "job_failed");
      if (job && isFailed) failedJobs = [...failedJobs, job.toJSON()];
      const hasNext = isFailed && !starting.signal.aborted && isRetried(retryFailed, failedJobs);
      if (!fromJournal && (result || !isLost)) adjust(outcome, hasNext);
      // The failure stays if another attempt was not made.
      if (last && isNotRun(outcome)) outcome = last;
      if (!hasNext) break;
      countCredits(outcome);
    }
    await batchJournal?.close(id);
    started();
    if (left) return;
    const { aborted: isStopped, reason } = starting.signal;
    if (outcome.isLost && !isStopped) return held.add({ ...read, id, refused: undefined });
    if (outcome.isLost && !outcome.result) outcome = { error: outcome.error ?? reason };
    const { result, error, job, fromJournal = false } = outcome;
    const common = { id, index, input: item, fromJournal, attempts };
    const status = isNotRun(outcome) ? "not_run" : "failed";
    if (result) {
      ready.push({ ...common, result, status: "succeeded", error: undefined, job: result.job });
    } else {
      const thrown = error instanceof Error ? error : new Error(String(error), { cause: error });
      ready.push({ ...common, result, status, error: thrown, job });
    }
    report(outcome, result ? "succeeded" : status);
  }

  function idOf(item: Item, index: number): string {
    if (!options.id) return String(index);
    const id: unknown = options.id(item, index);
    if (typeof id !== "string" || id === "") {
      throw new InputError("id", `of the item at index ${index} must be a non-empty string`, {
        hint: "Nothing was sent. Return an id for each item.",
      });
    }
    if (ids.has(id)) {
      const problem = `${JSON.stringify(id)} of the item at index ${index} is a duplicate`;
      throw new InputError("id", problem, {
        hint: "Nothing was sent. In a batch with a journal, each item needs a unique id.",
      });
    }
    if (journal) ids.set(id, index);
    return id;
  }

  async function inputOf(item: Item, index: number): Promise<TryOnInput> {
    // The types require `input` if the items are not inputs.
    return options.input ? options.input(item, index) : (item as TryOnInput);
  }

  function adjust(outcome: ItemOutcome, hasNext: boolean): void {
    limiter.ended(outcome, itemCount());
    if (hasNext) return;
    const stopped = stopAfter(outcome.error);
    // Items that the budget has accepted still run.
    if (stopped && isTryOnError(outcome.error, "budget_exceeded")) finishWith(stopped);
    else if (stopped) stop(stopped);
  }

  function countCredits({ job }: ItemOutcome): void {
    const cost = job?.data.cost_credits;
    if (isCredits(cost)) ended.credits += cost;
  }

  /** Reports an ended item. A failing callback never ends the batch. */
  function report(outcome: ItemOutcome, status: BatchItemStatus): void {
    ended[status] += 1;
    if (outcome.fromJournal) ended.fromJournal += 1;
    else countCredits(outcome);
    const { succeeded, failed, not_run: notRun, credits } = ended;
    const done = succeeded + failed;
    const elapsed = clock.monotonic() - startedAt;
    const ownRate = ((done - ended.fromJournal) / elapsed) * minute;
    const rate = ownRate > 0 && elapsed > 0 ? ownRate : undefined;
    const open = total === undefined ? undefined : Math.max(0, total - done);
    const eta = open === 0 ? 0 : open && rate && Math.round((open / rate) * minute);
    // The item that is reported is still in the map.
    const unfinished = inFlight.size - 1 + held.size;
    const counts = { done, succeeded, failed, notRun, inFlight: unfinished, total, credits };
    const call = async (): Promise<unknown> => options.onProgress?.({ ...counts, rate, eta });
    call().catch(() => undefined);
  }

  /** Resolves at the next change. Check the condition, then call it without an `await` between. */
  function change(): Promise<void> {
    return new Promise((resolve) => {
      waiters.push(resolve);
    });
  }

  function notify(): void {
    for (const resume of waiters.splice(0)) resume();
  }

  return results();
}

/** Returns true if nothing was sent for an item, since the batch had stopped or the budget was reached. */
function isNotRun({ error, job }: ItemOutcome): boolean {
  return !job && (isTryOnError(error, "batch_stopped") || isTryOnError(error, "budget_exceeded"));
}

function lengthOf(items: unknown): number | undefined {
  if (Array.isArray(items)) return items.length;
  return items instanceof Set || items instanceof Map ? items.size : undefined;
}
