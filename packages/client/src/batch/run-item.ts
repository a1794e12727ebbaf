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
import type { KeyFinder } from "../jobs/job-lookup.ts";
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

/** Thrown before a submission is sent that must not be sent, or not with the current API key. */
const otherKey = new Error("The item was not sent.");

const noAge = (): number => 0;

/** Runs an item. Without a journal, it has no entry, and writes none. */
export async function runItem(context: BatchContext, task: ItemTask): Promise<ItemOutcome> {
  const { tryon, clock, journal, limiter, timeout } = context;
  const { id, opened, signal, turn } = task;
  let { input } = task;
  let current: JournalEntry | undefined;
  let knownJob: Job | undefined;
  let startedAt: number | undefined;
  let age = noAge;
  let isResumed = false;
  let isLost = false;

  async function run(): Promise<ItemOutcome> {
    if (!journal || !opened) {
      await turn();
      return send();
    }
    const { entry, date, since, isRetried } = opened;
    const digested = await abortable(digestInput(tryon, input, signal), signal);
    const { digest, size, wait } = digested;
    ({ input } = digested);
    const failedJobs = isRetried ? failuresOf(entry) : [];
    const step = isRetried ? "send" : resumeStep(entry, date + since(), tryon.idempotencyWindow);
    if (entry && (step !== "send" || isRetried) && entry.digest !== digest) {
      const problem = `${JSON.stringify(id)} was submitted before with another input`;
      const hint = "Nothing was sent. Use a new id for a changed item.";
      throw new InputError("id", problem, { hint });
    }
    if (entry && step !== "send") {
      current = entry;
      const { state, job, sentAt } = entry;
      if (step === "find") return find(entry, undefined, context.lookup);
      const fromJournal = step === "wait" && (state === "succeeded" || state === "failed");
      if (!fromJournal) {
        await turn();
        isLost = !(await journal.confirm(entry));
        if (isLost) return {};
      }
      if (!job) {
        age = () => date - sentAt + since();
        isResumed = true;
        return send();
      }
      const outcome = waitFor(fromJournal ? tryon.jobs.restore(job) : tryon.jobs.resume(job));
      return { ...(await outcome), fromJournal };
    }
    await turn();
    const sync = context.sync ?? wait ?? "auto";
    // With a shorter timeout, a submission that waits for its result would leave the outcome unknown.
    const suffices = readDuration(timeout ?? Infinity) >= maxSyncWait + syncGrace;
    const refused = entry?.state === "refused" ? entry.idempotencyKey : undefined;
    const attempt = { id, digest, ...(failedJobs.length > 0 && { failedJobs }) };
    current = {
      ...attempt,
      state: "sending",
      idempotencyKey: refused ?? (await journal.createKey(attempt)),
      sync: sync === "auto" ? suffices && limiter.sync : sync,
      size,
      sentAt: date,
    };
    age = since;
    return send();
  }

  /** Writes the item into the journal before it is sent with a key. Throws if it must not be sent. */
  async function enter(entry: JournalEntry, apiKeyFingerprint: string | undefined): Promise<void> {
    if (isResumed) {
      if (entry.apiKeyFingerprint !== apiKeyFingerprint) throw otherKey;
      return;
    }
    current = { ...entry, apiKeyFingerprint };
    if (await journal?.put(current)) return;
    isLost = true;
    throw otherKey;
  }

  async function send(): Promise<ItemOutcome> {
    const entry = current;
    startedAt = clock.now();
    // The call must end while the service remembers the key.
    const limit = isResumed ? tryon.idempotencyWindow - age() : Infinity;
    const deadline = new Deadline(clock, limit, signal);
    let mayBeSent = isResumed;
    /** Error of the journal, or the reason why nothing was sent. */
    let refusal: unknown;
    let pendingWrite: Promise<void> | undefined;
    const onUpdate = (update: Update): void => {
      if (update.phase === "sending") mayBeSent = true;
      if ("job" in update) knownJob = update.job;
      if (update.phase === "waiting") {
        deadline.restart(Infinity);
        pendingWrite ??= write("submitted", update.job);
      }
    };
    try {
      const result = await tryon.run(input, {
        sync: context.sync,
        timeout,
        budget: entry ? journal?.budgetOf(entry) : context.budget,
        signal: deadline.signal,
        onUpdate,
        ...(entry && {
          idempotencyKey: entry.idempotencyKey,
          keyInMetadata: true,
          sync: entry.sync,
          // Checked before each attempt, since timers stop while the machine sleeps.
          [isKeyOver]: () => age() > tryon.idempotencyWindow,
          [beforeSend]: (fingerprint: string | undefined) =>
            enter(entry, fingerprint).catch((error: unknown) => {
              refusal = error;
              throw error;
            }),
        }),
      });
      await pendingWrite;
      await write("succeeded", result.job);
      return { result, job: result.job, attempts: result.receipt.attempts };
    } catch (error) {
      await pendingWrite;
      if (isLost && error === otherKey) return {};
      if (entry && error === otherKey) return await find(entry);
      if (refusal !== undefined && error === refusal) throw error;
      // A caller can abort with any reason, including a TryOnError.
      const isRefusal = !isResumed && provesNoJob(error) && !signal.aborted;
      if (mayBeSent && !isRefusal) return await failed(deadline.signal, error);
      // Some services keep the key of such a refusal.
      if (entry && isTryOnError(error) && (error.status === 400 || error.status === 402)) {
        const idempotencyKey = await journal?.createKey(entry, entry.idempotencyKey);
        current = { ...entry, ...(idempotencyKey !== undefined && { idempotencyKey }) };
      }
      await write("refused");
      return failure(error);
    } finally {
      deadline.close();
    }
  }

  /** Ends a submission that may have been sent. The signal is aborted when the service may have forgotten the key. */
  async function failed(limit: AbortSignal, error: unknown): Promise<ItemOutcome> {
    const entry = current;
    if (isTryOnError(error) && error.job) return unfinished(error, error.job);
    if (!entry || signal.aborted) return failure(error);
    if (isTryOnError(error, "idempotency_conflict") && error.recover) {
      // The key is unique to this item: the service still handles an earlier attempt, or confuses it with another.
      const job = await error.recover({ timeout, signal: limit }).catch(() => undefined);
      return job ? waitFor(job) : find(entry, error);
    }
    const isOver = error === limit.reason || age() > tryon.idempotencyWindow;
    if (isResumed && isOver) return find(entry);
    // The service may have accepted an earlier attempt.
    const isRefused = provesNoJob(error) && error.attempts.length > 0;
    return isRefused ? find(entry, error) : failure(error);
  }

  /** Searches the list for the job of a submission that cannot be sent again. An earlier iteration may have missed it. */
  async function find(
    { idempotencyKey, sentAt: firstAttemptAt, apiKeyFingerprint }: JournalEntry,
    cause?: unknown,
    known: KeyFinder = tryon.jobs.lookup(),
  ): Promise<ItemOutcome> {
    const sought = { idempotencyKey, firstAttemptAt, apiKeyFingerprint, hasKeyInMetadata: true };
    const search = await known.find(sought, { signal });
    if (search.status === "found") {
      // The batch reads no further until this item has its turn, and the job may run for long.
      if (startedAt === undefined) await turn();
      return waitFor(search.job);
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

  async function waitFor(job: Job): Promise<ItemOutcome> {
    startedAt ??= clock.now();
    if (current?.state === "sending") await write("submitted", job);
    try {
      const result = await job.result({ timeout, signal });
      await write("succeeded", job);
      return { result, job, attempts: result.receipt.attempts };
    } catch (error) {
      return unfinished(error, job);
    }
  }

  async function unfinished(error: unknown, job: Job): Promise<ItemOutcome> {
    await write(isTryOnError(error, "job_failed") ? "failed" : "submitted", job);
    return { ...failure(error), job };
  }

  function failure(error: unknown): ItemOutcome {
    return { error, attempts: isTryOnError(error) ? error.attempts : [], job: knownJob };
  }

  /** Writes a new state of the item into the journal. If that fails, it stops the batch, but not the item. */
  async function write(state: JournalState, job?: Job): Promise<void> {
    if (!current || current.state === state) return;
    current = { ...current, state, ...(job && { job: job.toJSON() }) };
    const isKept = await journal?.put(current).catch(() => true);
    if (isKept === false) isLost = true;
  }

  // An item that is not sent keeps its earlier attempts.
  const ended = (outcome: ItemOutcome): ItemOutcome => {
    const failedJobs = journal && (current?.failedJobs ?? []);
    return { ...outcome, startedAt, isLost, failedJobs };
  };
  return run().then(ended, (error: unknown) => ended({ error }));
}

/** Returns true if an error proves that the submission created no job. Errors with an unknown outcome have `recover`. */
function provesNoJob(error: unknown): error is TryOnError {
  return isTryOnError(error) && error.job === undefined && !("recover" in error);
}
