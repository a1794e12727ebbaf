import {
  InputError,
  isTryOnError,
  OutcomeUnknownError,
  type CallOptions,
  type Job,
  type Update,
} from "@tryon/client";

import { readDuration } from "../config/duration.ts";
import { parseInput } from "../jobs/parse-input.ts";
import { randomKey } from "../http/random-key.ts";
import { syncGrace, maxSyncWait } from "../config/options.ts";
import { maxTimer } from "../config/clock.ts";
import { abortable } from "../http/deadline.ts";
import { inputDigest } from "./input-digest.ts";
import type { JournalEntry, JournalState } from "./journal.ts";
import type { JournalCharges } from "./journal-charges.ts";
import type { JournalWriter } from "./journal-writer.ts";
import { provesNoJob } from "./run-item.ts";
import type { JobLookup } from "./job-lookup.ts";
import { reusableInput } from "./reusable-input.ts";
import type { ItemOutcome, ItemTask, BatchContext } from "./batch-context.ts";

/** Settings that the items of a batch with a journal share. */
export interface JournaledBatchContext extends BatchContext {
  readonly writer: JournalWriter;
  /** Cost of earlier runs, if the batch has a budget. */
  readonly charges: JournalCharges | undefined;
  readonly lookup: JobLookup;
  /** Returns true if `sync: "auto"` waits for results. */
  readonly isHeld: () => boolean;
}

/** Runs the try-on of an item with a journal: submits it, or continues where an earlier run stopped. */
export async function runJournaledItem(
  context: JournaledBatchContext,
  task: ItemTask,
): Promise<ItemOutcome> {
  const { writer, charges, sync, isHeld, timeout, tryon } = context;
  const { id, signal } = task;
  const input = await abortable(reusableInput(task.input), signal);
  const parsed = parseInput(input);
  const digest = await abortable(inputDigest(parsed), signal);
  if (charges) await abortable(charges.load(), signal);
  const entry = await writer.get(id);
  // A snapshot of an input is an input.
  const item = new JournaledItem(context, { ...task, input: input as ItemTask["input"] });
  if (entry && entry.state !== "refused") {
    if (entry.digest === digest) return item.takeUp(entry);
    throw new InputError("id", `${JSON.stringify(id)} was submitted before with another input`, {
      hint: "Nothing was sent. Use a new id for a changed item.",
    });
  }
  const wanted = sync ?? parsed.wait ?? "auto";
  // With a shorter timeout, a submission that waits for its result would leave the outcome unknown.
  const suffices = timeout === undefined || readDuration(timeout) >= maxSyncWait + syncGrace;
  return item.begin({
    id,
    state: "sending",
    idempotencyKey: entry?.idempotencyKey ?? randomKey(),
    digest,
    held: wanted === "auto" ? suffices && isHeld() : wanted,
    size: typeof parsed.size === "string" ? parsed.size : "1K",
    sentAt: tryon.clock.now(),
  });
}

/** One item of a batch with a journal. */
class JournaledItem {
  readonly #context: JournaledBatchContext;
  readonly #task: ItemTask;
  #entry: JournalEntry | undefined;
  #startedAt: number | undefined;
  /** Job of the submission, once known. */
  #job: Job | undefined;

  constructor(context: JournaledBatchContext, task: ItemTask) {
    this.#context = context;
    this.#task = task;
  }

  /** Submits an item for the first time, or again after a submission that created no job. */
  async begin(planned: JournalEntry): Promise<ItemOutcome> {
    const { writer, charges, tryon } = this.#context;
    await this.#task.turn();
    this.#task.signal.throwIfAborted();
    const entry = { ...planned, sentAt: tryon.clock.now() };
    await writer.first(entry);
    charges?.leave(entry);
    return this.#send(entry, false);
  }

  /** Continues an item of an earlier run. */
  async takeUp(entry: JournalEntry): Promise<ItemOutcome> {
    const { tryon } = this.#context;
    this.#entry = entry;
    const { state, job: saved } = entry;
    if (saved === undefined) {
      if (!this.#isReplayable(entry)) return this.#find(entry, entry.sentAt);
      await this.#task.turn();
      return this.#send(entry, true);
    }
    const fromJournal = state === "succeeded" || state === "failed";
    if (!fromJournal) await this.#task.turn();
    const job = fromJournal ? tryon.jobs.restore(saved) : tryon.jobs.resume(saved);
    return { ...(await this.#wait(entry, job)), fromJournal };
  }

  /** Returns true if the service still remembers the key. Returns false if the clock was set back. */
  #isReplayable({ sentAt }: JournalEntry): boolean {
    const age = this.#context.tryon.clock.now() - sentAt;
    return age >= 0 && age <= this.#context.tryon.idempotencyWindow;
  }

  async #send(entry: JournalEntry, again: boolean): Promise<ItemOutcome> {
    const { tryon, timeout, charges } = this.#context;
    const budget = charges?.of(entry) ?? this.#context.budget;
    const { clock } = tryon;
    const { input, signal } = this.#task;
    this.#entry = entry;
    this.#startedAt = clock.now();
    // An earlier run may have sent this item, so the call must end while the service remembers the key.
    const limit = new AbortController();
    const onAbort = (): void => limit.abort(signal.reason);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    const left = (): number => entry.sentAt + tryon.idempotencyWindow - clock.now();
    const onTime = (): void => {
      if (left() < 0) limit.abort(tooLate);
      else timer = clock.setTimeout(onTime, Math.min(left() + 1, maxTimer));
    };
    let timer: unknown;
    if (again) onTime();
    let sending = false;
    let pendingWrite: Promise<void> | undefined;
    const onUpdate = (update: Update): void => {
      if (update.phase === "sending") {
        sending = true;
        // Timers stop while the machine sleeps.
        if (again && left() < 0) limit.abort(tooLate);
      }
      if ("job" in update) this.#job = update.job;
      if (update.phase !== "waiting" || pendingWrite) return;
      clock.clearTimeout(timer);
      pendingWrite = this.#write("submitted", update.job);
    };
    const { idempotencyKey, held: sync } = entry;
    const limits = { timeout, budget, signal: limit.signal };
    const options = { ...limits, idempotencyKey, keyInMetadata: true, sync, onUpdate };
    try {
      const result = await tryon.run(input, options);
      await pendingWrite;
      await this.#write("succeeded", result.job);
      return this.#end({ result, job: result.job, attempts: result.receipt.attempts });
    } catch (error) {
      await pendingWrite;
      return await this.#failed(error, again || sending ? again : undefined, limit.signal);
    } finally {
      clock.clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** @param again - If true, an earlier run may have sent the item. Undefined if no run has. */
  async #failed(
    error: unknown,
    again: boolean | undefined,
    limit: AbortSignal,
  ): Promise<ItemOutcome> {
    const { timeout } = this.#context;
    const { signal } = this.#task;
    const entry = this.#entry as JournalEntry;
    if (isTryOnError(error) && error.job) return this.#unfinished(error, error.job);
    if (isTryOnError(error, "idempotency_conflict") && error.recover) {
      // The key is unique to this item: the service still handles an earlier attempt, or confuses it with another.
      let job: Job;
      try {
        job = await error.recover({ timeout, signal: limit });
      } catch {
        return this.#find(entry, this.#now(), error);
      }
      return this.#wait(entry, job);
    }
    const attempts = isTryOnError(error) ? error.attempts : [];
    // A caller can abort with any reason, including a TryOnError.
    const isRefusal = provesNoJob(error) && !signal.aborted;
    if (again === undefined || (!again && isRefusal)) {
      await this.#write("refused");
    } else if (again && ((isRefusal && attempts.length > 0) || error === tooLate)) {
      // The service may have accepted an earlier attempt.
      return this.#find(entry, this.#now(), error);
    }
    return this.#end({ error, attempts, job: this.#job });
  }

  /** Searches the list for the job of a submission that cannot be sent again. */
  async #find(entry: JournalEntry, lastSentAt: number, cause?: unknown): Promise<ItemOutcome> {
    const { lookup, tryon } = this.#context;
    const { idempotencyKey, sentAt } = entry;
    const { signal } = this.#task;
    this.#entry = entry;
    let failure = cause === tooLate ? undefined : cause;
    const find = (since: number, limits?: CallOptions): Promise<string | undefined> =>
      lookup.find({ idempotencyKey, firstSentAt: sentAt, lastSentAt: since }, limits);
    const id = await find(lastSentAt, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      failure ??= error;
      return undefined;
    });
    if (id !== undefined) {
      // The batch reads no further until this item has its turn, and the job may run for long.
      if (this.#startedAt === undefined) await this.#task.turn();
      return this.#wait(entry, tryon.jobs.resume({ id, idempotencyKey }));
    }
    const error = new OutcomeUnknownError(
      `An earlier run may have submitted item ${JSON.stringify(entry.id)}, and the list of jobs does not contain it.`,
      {
        hint: "The batch does not submit it again, since that could pay twice. Call `recover()` later, or use a new id to submit it again.",
        idempotencyKey,
        cause: failure,
        recover: async (limits) => {
          const found = await find(this.#now(), limits);
          if (found === undefined) throw error;
          return tryon.jobs.resume({ id: found, idempotencyKey });
        },
      },
    );
    return this.#end({ error });
  }

  async #wait(entry: JournalEntry, job: Job): Promise<ItemOutcome> {
    const { timeout, tryon } = this.#context;
    const { signal } = this.#task;
    this.#entry = entry;
    this.#startedAt ??= tryon.clock.now();
    const isNew = entry.state === "sending";
    if (isNew) await this.#write("submitted", job);
    try {
      const result = await job.result({ timeout, signal });
      if (entry.state !== "succeeded") await this.#write("succeeded", job);
      return this.#end({ result, job, attempts: result.receipt.attempts });
    } catch (error) {
      return this.#unfinished(error, job);
    }
  }

  async #unfinished(error: unknown, job: Job): Promise<ItemOutcome> {
    const state = isTryOnError(error, "job_failed") ? "failed" : "submitted";
    if (this.#entry?.state !== state) await this.#write(state, job);
    return this.#end({ error, job, attempts: isTryOnError(error) ? error.attempts : [] });
  }

  /** Writes the item's state into the journal. */
  async #write(state: JournalState, job?: Job): Promise<void> {
    // Every write follows the first entry.
    const entry = this.#entry as JournalEntry;
    const { job: _earlier, ...rest } = entry;
    this.#entry = { ...rest, state, ...(job && { job: job.toJSON() }) };
    this.#context.charges?.of(entry)?.update(this.#entry);
    await this.#context.writer.put(this.#entry);
  }

  #end(end: ItemOutcome): ItemOutcome {
    return this.#startedAt === undefined ? end : { ...end, startedAt: this.#startedAt };
  }

  #now(): number {
    return this.#context.tryon.clock.now();
  }
}

/** Reason to abort the submission of an item that an earlier run may have sent. */
const tooLate = new DOMException("The service may have forgotten the key.", "TimeoutError");
