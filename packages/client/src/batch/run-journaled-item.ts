import {
  InputError,
  isTryOnError,
  OutcomeUnknownError,
  type CallOptions,
  type Job,
  type TryOnError,
  type Update,
} from "@tryon/client";

import { readDuration } from "../config/check-options.ts";
import { maxSyncWait, syncGrace } from "../config/options.ts";
import { abortable, Deadline } from "../http/deadline.ts";
import { randomKey } from "../http/random-key.ts";
import type { BatchJournal } from "./batch-journal.ts";
import { digestInput } from "./digest-input.ts";
import type { JobLookup } from "./job-lookup.ts";
import type { JournalEntry, JournalState } from "./journal.ts";
import type { BatchContext, ItemOutcome, ItemTask } from "./run-item.ts";
import type { SubmissionLimiter } from "./submission-limiter.ts";

/** Settings that the items of a batch with a journal share. */
export interface JournaledBatchContext extends BatchContext {
  readonly journal: BatchJournal;
  readonly lookup: JobLookup;
  readonly limiter: Pick<SubmissionLimiter, "sync">;
}

/** Runs the try-on of an item with a journal: submits it, or continues where an earlier run stopped. */
export async function runJournaledItem(
  context: JournaledBatchContext,
  task: ItemTask,
): Promise<ItemOutcome> {
  const { journal, limiter, sync, timeout, tryon } = context;
  const { id, signal } = task;
  const deadline = new Deadline(tryon.clock, Number.POSITIVE_INFINITY, signal);
  const digesting = digestInput(task.input, deadline).finally(() => deadline.close());
  const { input, parsed, digest } = await abortable(digesting, signal);
  await abortable(journal.countEntries(), signal);
  const entry = await journal.get(id);
  const isNew = entry === undefined || entry.state === "refused";
  if (!isNew && entry.digest !== digest) {
    throw new InputError("id", `${JSON.stringify(id)} was submitted before with another input`, {
      hint: "Nothing was sent. Use a new id for a changed item.",
    });
  }
  const wanted = sync ?? parsed.wait ?? "auto";
  // With a shorter timeout, a submission that waits for its result would leave the outcome unknown.
  const suffices = timeout === undefined || readDuration(timeout) >= maxSyncWait + syncGrace;
  const planned: JournalEntry = {
    id,
    state: "sending",
    idempotencyKey: entry?.idempotencyKey ?? randomKey(),
    digest,
    sync: wanted === "auto" ? suffices && limiter.sync : wanted,
    size: typeof parsed.size === "string" ? parsed.size : "1K",
    sentAt: tryon.clock.now(),
  };
  const item = new JournaledItem(context, { ...task, input }, isNew ? planned : entry);
  const outcome = await (isNew ? item.begin() : item.resume());
  return { ...outcome, startedAt: item.startedAt };
}

/** One item of a batch with a journal. */
class JournaledItem {
  /** Time before this run's first request. */
  startedAt: number | undefined;
  readonly #context: JournaledBatchContext;
  readonly #task: ItemTask;
  #entry: JournalEntry;
  /** Job of the submission, once known. */
  #job: Job | undefined;

  constructor(context: JournaledBatchContext, task: ItemTask, entry: JournalEntry) {
    this.#context = context;
    this.#task = task;
    this.#entry = entry;
  }

  /** Submits an item for the first time, or again after a submission that created no job. */
  async begin(): Promise<ItemOutcome> {
    await this.#task.turn();
    this.#task.signal.throwIfAborted();
    this.#entry = { ...this.#entry, sentAt: this.#now };
    await this.#context.journal.begin(this.#entry);
    return this.#send(false);
  }

  /** Continues an item of an earlier run. */
  async resume(): Promise<ItemOutcome> {
    const { tryon } = this.#context;
    const { state, job, sentAt } = this.#entry;
    if (job === undefined) {
      if (!this.#isReplayable) return this.#find(sentAt);
      await this.#task.turn();
      return this.#send(true);
    }
    const fromJournal = state === "succeeded" || state === "failed";
    if (!fromJournal) await this.#task.turn();
    const outcome = await this.#wait(
      fromJournal ? tryon.jobs.restore(job) : tryon.jobs.resume(job),
    );
    return { ...outcome, fromJournal };
  }

  /** If true, the service still remembers the key. False if the clock was set back. */
  get #isReplayable(): boolean {
    const age = this.#now - this.#entry.sentAt;
    return age >= 0 && age <= this.#context.tryon.idempotencyWindow;
  }

  /** @param isRepeated - If true, an earlier run may have sent the item. */
  async #send(isRepeated: boolean): Promise<ItemOutcome> {
    const { tryon, journal, timeout } = this.#context;
    const { input, signal: caller } = this.#task;
    const { idempotencyKey, sync, sentAt } = this.#entry;
    this.startedAt = this.#now;
    // The call must end while the service remembers the key.
    const limit = isRepeated
      ? sentAt + tryon.idempotencyWindow - this.startedAt
      : Number.POSITIVE_INFINITY;
    const deadline = new Deadline(tryon.clock, limit, caller);
    const { signal } = deadline;
    let mayBeSent = isRepeated;
    let pendingWrite: Promise<void> | undefined;
    const onUpdate = (update: Update): void => {
      if (update.phase === "sending") {
        mayBeSent = true;
        // Timers stop while the machine sleeps.
        deadline.restart(deadline.left());
      }
      if ("job" in update) this.#job = update.job;
      if (update.phase !== "waiting" || pendingWrite) return;
      deadline.restart(Number.POSITIVE_INFINITY);
      pendingWrite = this.#write("submitted", update.job);
    };
    const budget = journal.budgetOf(this.#entry);
    const limits = { timeout, budget, signal };
    const options = { ...limits, idempotencyKey, keyInMetadata: true, sync, onUpdate };
    try {
      const result = await tryon.run(input, options);
      await pendingWrite;
      await this.#write("succeeded", result.job);
      return { result, job: result.job, attempts: result.receipt.attempts };
    } catch (error) {
      await pendingWrite;
      if (!mayBeSent) return await this.#refuse(error);
      return await this.#failed(error, isRepeated, signal);
    } finally {
      deadline.close();
    }
  }

  async #refuse(error: unknown): Promise<ItemOutcome> {
    await this.#write("refused");
    return this.#failure(error);
  }

  /**
   * Ends a submission that may have been sent.
   *
   * @param isRepeated - If true, an earlier run may have sent the item, too.
   * @param signal - Aborted when the service may have forgotten the key.
   */
  async #failed(error: unknown, isRepeated: boolean, signal: AbortSignal): Promise<ItemOutcome> {
    const isAborted = this.#task.signal.aborted;
    if (isTryOnError(error) && error.job) return this.#unfinished(error, error.job);
    if (isTryOnError(error, "idempotency_conflict") && error.recover) {
      // The key is unique to this item: the service still handles an earlier attempt, or confuses it with another.
      let job: Job;
      try {
        job = await error.recover({ timeout: this.#context.timeout, signal });
      } catch {
        return this.#find(this.#now, error);
      }
      return this.#wait(job);
    }
    // A caller can abort with any reason, including a TryOnError.
    const isRefusal = provesNoJob(error) && !isAborted;
    if (isRefusal && !isRepeated) return this.#refuse(error);
    // The service may have accepted an earlier attempt.
    if (isRepeated && !isAborted && error === signal.reason) return this.#find(this.#now);
    if (isRefusal && error.attempts.length > 0) return this.#find(this.#now, error);
    return this.#failure(error);
  }

  /** Searches the list for the job of a submission that cannot be sent again. */
  async #find(lastSentAt: number, cause?: unknown): Promise<ItemOutcome> {
    const { lookup, tryon } = this.#context;
    const { id, idempotencyKey, sentAt: firstSentAt } = this.#entry;
    const { signal } = this.#task;
    let failure = cause;
    const find = (since: number, limits: CallOptions = {}): Promise<string | undefined> =>
      lookup.find({ idempotencyKey, firstSentAt, lastSentAt: since }, limits);
    const found = await find(lastSentAt, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      failure ??= error;
      return undefined;
    });
    if (found !== undefined) {
      // The batch reads no further until this item has its turn, and the job may run for long.
      if (this.startedAt === undefined) await this.#task.turn();
      return this.#wait(tryon.jobs.resume({ id: found, idempotencyKey }));
    }
    const error = new OutcomeUnknownError(
      `An earlier run may have submitted item ${JSON.stringify(id)}, and the list of jobs does not contain it.`,
      {
        hint: "The batch does not submit it again, since that could pay twice. Call `recover()` later, or use a new id to submit it again.",
        idempotencyKey,
        cause: failure,
        recover: async (limits) => {
          const job = await find(this.#now, limits);
          if (job === undefined) throw error;
          return tryon.jobs.resume({ id: job, idempotencyKey });
        },
      },
    );
    return { error };
  }

  async #wait(job: Job): Promise<ItemOutcome> {
    const { timeout } = this.#context;
    const { signal } = this.#task;
    this.startedAt ??= this.#now;
    if (this.#entry.state === "sending") await this.#write("submitted", job);
    try {
      const result = await job.result({ timeout, signal });
      if (this.#entry.state !== "succeeded") await this.#write("succeeded", job);
      return { result, job, attempts: result.receipt.attempts };
    } catch (error) {
      return this.#unfinished(error, job);
    }
  }

  async #unfinished(error: unknown, job: Job): Promise<ItemOutcome> {
    const state = isTryOnError(error, "job_failed") ? "failed" : "submitted";
    if (this.#entry.state !== state) await this.#write(state, job);
    return { ...this.#failure(error), job };
  }

  #failure(error: unknown): ItemOutcome {
    return { error, attempts: isTryOnError(error) ? error.attempts : [], job: this.#job };
  }

  /** Writes the item's state into the journal. */
  async #write(state: JournalState, job?: Job): Promise<void> {
    this.#entry = { ...this.#entry, state, ...(job && { job: job.toJSON() }) };
    await this.#context.journal.put(this.#entry);
  }

  get #now(): number {
    return this.#context.tryon.clock.now();
  }
}

/** Returns true if an error proves that the submission created no job. Errors with an unknown outcome have `recover`. */
function provesNoJob(error: unknown): error is TryOnError {
  return isTryOnError(error) && error.job === undefined && !("recover" in error);
}
