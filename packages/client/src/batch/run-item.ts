import {
  InputError,
  isTryOnError,
  OutcomeUnknownError,
  type Attempt,
  type Duration,
  type Job,
  type SavedJob,
  type TryOn,
  type TryOnError,
  type TryOnInput,
  type TryOnResult,
  type Update,
} from "@tryon/client";

import type { ClientClock } from "../config/clock.ts";
import { readDuration } from "../config/resolve-config.ts";
import { maxSyncWait, syncGrace } from "../config/options.ts";
import { abortable, Deadline } from "../http/deadline.ts";
import type { KeyFinder } from "../jobs/jobs.ts";
import { beforeSend, isKeyOver } from "../jobs/run-options.ts";
import type { Counted } from "../types/budget.ts";
import type { BatchJournal, OpenedItem } from "./batch-journal.ts";
import { digestInput } from "./digest-input.ts";
import type { JournalEntry, JournalState } from "./journal.ts";
import { resumeStep } from "./resume-step.ts";
import { failuresOf } from "./retry-failed.ts";

export interface BatchContext {
  readonly tryon: TryOn;
  readonly clock: ClientClock;
  readonly budget: Counted | undefined;
  readonly sync: boolean | "auto" | undefined;
  readonly timeout: Duration | undefined;
  readonly journal: BatchJournal | undefined;
  readonly lookup: KeyFinder;
  readonly limiter: { readonly sync: boolean };
}

export interface ItemTask {
  readonly id: string;
  readonly input: TryOnInput;
  readonly opened: OpenedItem | undefined;
  readonly signal: AbortSignal;
  readonly turn: () => Promise<void>;
}

export interface ItemOutcome {
  readonly result?: TryOnResult | undefined;
  readonly error?: unknown;
  readonly job?: Job | undefined;
  readonly fromJournal?: boolean;
  /** Failed jobs of earlier attempts. Undefined without a journal. */
  readonly failedJobs?: readonly SavedJob[] | undefined;
  /** If true, another process has taken over the item, and its journal has the outcome. */
  readonly isLost?: boolean;
  readonly startedAt?: number | undefined;
  readonly attempts?: readonly Attempt[];
}

export async function runItem(context: BatchContext, task: ItemTask): Promise<ItemOutcome> {
  const item = new ItemRun(context, task);
  // An item that is not sent keeps its earlier attempts.
  const outcome = await item.run().catch((error: unknown) => ({ error }));
  const { startedAt, isLost, failedJobs } = item;
  return { ...outcome, startedAt, isLost, failedJobs };
}

/** Thrown before a submission is sent that must not be sent, or not with the current API key. */
const otherKey = new Error("The item was not sent.");

/** One item of a run. Without a journal, it has no entry, and writes none. */
class ItemRun {
  startedAt: number | undefined;
  isLost = false;
  readonly #context: BatchContext;
  #task: ItemTask;
  #entry: JournalEntry | undefined;
  #job: Job | undefined;
  #age: () => number = () => 0;
  #isResumed = false;

  constructor(context: BatchContext, task: ItemTask) {
    this.#context = context;
    this.#task = task;
  }

  get failedJobs(): readonly SavedJob[] | undefined {
    return this.#context.journal && (this.#entry?.failedJobs ?? []);
  }

  async run(): Promise<ItemOutcome> {
    const { journal, limiter, lookup, timeout, tryon } = this.#context;
    const { id, opened, signal, turn } = this.#task;
    if (!journal || !opened) {
      await turn();
      return this.#send();
    }
    const { entry, date, since } = opened;
    const digesting = digestInput(tryon, this.#task.input, signal);
    const { input, digest, size, wait } = await abortable(digesting, signal);
    this.#task = { ...this.#task, input };
    const failedJobs = opened.isRetried ? failuresOf(entry) : [];
    const step = opened.isRetried
      ? "send"
      : resumeStep(entry, date + since(), tryon.idempotencyWindow);
    if (entry && (step !== "send" || opened.isRetried)) {
      if (entry.digest !== digest) {
        const problem = `${JSON.stringify(id)} was submitted before with another input`;
        const hint = "Nothing was sent. Use a new id for a changed item.";
        throw new InputError("id", problem, { hint });
      }
    }
    if (entry && step !== "send") {
      this.#entry = entry;
      const { state, job, sentAt } = entry;
      if (step === "find") return this.#find(entry, undefined, lookup);
      const fromJournal = step === "wait" && (state === "succeeded" || state === "failed");
      if (!fromJournal) {
        await turn();
        this.isLost = !(await journal.confirm(entry));
        if (this.isLost) return {};
      }
      if (!job) {
        this.#age = () => date - sentAt + since();
        this.#isResumed = true;
        return this.#send();
      }
      const outcome = this.#wait(fromJournal ? tryon.jobs.restore(job) : tryon.jobs.resume(job));
      return { ...(await outcome), fromJournal };
    }
    await turn();
    const sync = this.#context.sync ?? wait ?? "auto";
    // With a shorter timeout, a submission that waits for its result would leave the outcome unknown.
    const suffices = readDuration(timeout ?? Infinity) >= maxSyncWait + syncGrace;
    const refused = entry?.state === "refused" ? entry.idempotencyKey : undefined;
    const attempt = { id, digest, ...(failedJobs.length > 0 && { failedJobs }) };
    this.#entry = {
      ...attempt,
      state: "sending",
      idempotencyKey: refused ?? (await journal.createKey(attempt)),
      sync: sync === "auto" ? suffices && limiter.sync : sync,
      size,
      sentAt: date,
    };
    this.#age = since;
    return this.#send();
  }

  /** Writes the item into the journal before it is sent with a key. Throws if it must not be sent. */
  async #enter(entry: JournalEntry, apiKeyFingerprint: string | undefined): Promise<void> {
    if (this.#isResumed) {
      if (entry.apiKeyFingerprint !== apiKeyFingerprint) throw otherKey;
      return;
    }
    this.#entry = { ...entry, apiKeyFingerprint };
    if (await this.#context.journal?.put(this.#entry)) return;
    this.isLost = true;
    throw otherKey;
  }

  async #send(): Promise<ItemOutcome> {
    const { tryon, clock, journal, budget, sync, timeout } = this.#context;
    const entry = this.#entry;
    this.startedAt = this.#now;
    // The call must end while the service remembers the key.
    const limit = this.#isResumed ? tryon.idempotencyWindow - this.#age() : Infinity;
    const deadline = new Deadline(clock, limit, this.#task.signal);
    const { signal } = deadline;
    let mayBeSent = this.#isResumed;
    /** Error of the journal, or the reason why nothing was sent. */
    let refusal: unknown;
    let pendingWrite: Promise<void> | undefined;
    const onUpdate = (update: Update): void => {
      if (update.phase === "sending") mayBeSent = true;
      if ("job" in update) this.#job = update.job;
      if (update.phase === "waiting") {
        deadline.restart(Infinity);
        pendingWrite ??= this.#write("submitted", update.job);
      }
    };
    try {
      const result = await tryon.run(this.#task.input, {
        sync,
        timeout,
        budget: entry ? journal?.budgetOf(entry) : budget,
        signal,
        onUpdate,
        ...(entry && {
          idempotencyKey: entry.idempotencyKey,
          keyInMetadata: true,
          sync: entry.sync,
          // Checked before each attempt, since timers stop while the machine sleeps.
          [isKeyOver]: () => this.#age() > tryon.idempotencyWindow,
          [beforeSend]: (fingerprint: string | undefined) =>
            this.#enter(entry, fingerprint).catch((error: unknown) => {
              refusal = error;
              throw error;
            }),
        }),
      });
      await pendingWrite;
      await this.#write("succeeded", result.job);
      return { result, job: result.job, attempts: result.receipt.attempts };
    } catch (error) {
      await pendingWrite;
      if (this.isLost && error === otherKey) return {};
      if (entry && error === otherKey) return await this.#find(entry);
      if (refusal !== undefined && error === refusal) throw error;
      // A caller can abort with any reason, including a TryOnError.
      const isRefusal = !this.#isResumed && provesNoJob(error) && !this.#task.signal.aborted;
      if (mayBeSent && !isRefusal) return await this.#failed(signal, error);
      // Some services keep the key of such a refusal.
      if (entry && isTryOnError(error) && (error.status === 400 || error.status === 402)) {
        const idempotencyKey = await journal?.createKey(entry, entry.idempotencyKey);
        this.#entry = { ...entry, ...(idempotencyKey !== undefined && { idempotencyKey }) };
      }
      await this.#write("refused");
      return this.#failure(error);
    } finally {
      deadline.close();
    }
  }

  /** Ends a submission that may have been sent. The signal is aborted when the service may have forgotten the key. */
  async #failed(signal: AbortSignal, error: unknown): Promise<ItemOutcome> {
    const entry = this.#entry;
    if (isTryOnError(error) && error.job) return this.#unfinished(error, error.job);
    if (!entry || this.#task.signal.aborted) return this.#failure(error);
    if (isTryOnError(error, "idempotency_conflict") && error.recover) {
      // The key is unique to this item: the service still handles an earlier attempt, or confuses it with another.
      const limits = { timeout: this.#context.timeout, signal };
      const job = await error.recover(limits).catch(() => undefined);
      return job ? this.#wait(job) : this.#find(entry, error);
    }
    const isOver = error === signal.reason || this.#age() > this.#context.tryon.idempotencyWindow;
    if (this.#isResumed && isOver) return this.#find(entry);
    // The service may have accepted an earlier attempt.
    const isRefused = provesNoJob(error) && error.attempts.length > 0;
    return isRefused ? this.#find(entry, error) : this.#failure(error);
  }

  /** Searches the list for the job of a submission that cannot be sent again. An earlier iteration may have missed it. */
  async #find(entry: JournalEntry, cause?: unknown, known?: KeyFinder): Promise<ItemOutcome> {
    const { tryon } = this.#context;
    const { id, idempotencyKey, sentAt: firstAttemptAt } = entry;
    const { apiKeyFingerprint } = entry;
    const sought = { idempotencyKey, firstAttemptAt, apiKeyFingerprint, hasKeyInMetadata: true };
    const { signal } = this.#task;
    const search = await (known ?? tryon.jobs.lookup()).find(sought, { signal });
    if (search.status === "found") {
      // The batch reads no further until this item has its turn, and the job may run for long.
      if (this.startedAt === undefined) await this.#task.turn();
      return this.#wait(search.job);
    }
    const reason = search.status === "unknown" ? search.reason : search.status;
    const isOther = reason === "other_api_key";
    const error = new OutcomeUnknownError(
      isOther
        ? `Item ${JSON.stringify(id)} was submitted under another API key.`
        : `An earlier run may have submitted item ${JSON.stringify(id)}, and the list of jobs does not contain it.`,
      {
        hint: isOther
          ? "Pass that key in recoveryKeys (TRYON_RECOVERY_KEYS): the batch does not submit it again, since that could pay twice."
          : "The batch does not submit it again, since that could pay twice. Call `recover()` later, or use a new id.",
        idempotencyKey,
        cause: cause ?? (search.status === "unknown" ? search.error : undefined),
        search: reason,
        recover: async (limits) => {
          const { job } = await tryon.jobs.lookup().find(sought, limits);
          if (job === undefined) throw error;
          return job;
        },
      },
    );
    return { error };
  }

  async #wait(job: Job): Promise<ItemOutcome> {
    const { timeout } = this.#context;
    const { signal } = this.#task;
    this.startedAt ??= this.#now;
    if (this.#entry?.state === "sending") await this.#write("submitted", job);
    try {
      const result = await job.result({ timeout, signal });
      await this.#write("succeeded", job);
      return { result, job, attempts: result.receipt.attempts };
    } catch (error) {
      return this.#unfinished(error, job);
    }
  }

  async #unfinished(error: unknown, job: Job): Promise<ItemOutcome> {
    await this.#write(isTryOnError(error, "job_failed") ? "failed" : "submitted", job);
    return { ...this.#failure(error), job };
  }

  #failure(error: unknown): ItemOutcome {
    return { error, attempts: isTryOnError(error) ? error.attempts : [], job: this.#job };
  }

  /** Writes a new state of the item into the journal. If that fails, it stops the batch, but not the item. */
  async #write(state: JournalState, job?: Job): Promise<void> {
    if (!this.#entry || this.#entry.state === state) return;
    this.#entry = { ...this.#entry, state, ...(job && { job: job.toJSON() }) };
    const isKept = await this.#context.journal?.put(this.#entry).catch(() => true);
    if (isKept === false) this.isLost = true;
  }

  get #now(): number {
    return this.#context.tryon.clock.now();
  }
}

/** Returns true if an error proves that the submission created no job. Errors with an unknown outcome have `recover`. */
function provesNoJob(error: unknown): error is TryOnError {
  return isTryOnError(error) && error.job === undefined && !("recover" in error);
}
