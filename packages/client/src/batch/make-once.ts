import {
  InputError,
  isTryOnError,
  OutcomeUnknownError,
  type CallOptions,
  type Job,
  type Update,
} from "@tryon/client";

import { readDuration } from "../config/duration.ts";
import { prepareInput } from "../jobs/prepare.ts";
import { randomKey } from "../http/random-key.ts";
import { syncGrace, maxSyncWait } from "../config/options.ts";
import { longestTimer } from "../config/clock.ts";
import { abortable } from "../http/deadline.ts";
import { digestOf } from "./digest.ts";
import type { JournalEntry, JournalState } from "./journal.ts";
import type { JournalCharges } from "./journal-charges.ts";
import type { Logbook } from "./logbook.ts";
import { isProof } from "./make.ts";
import type { MarkedJobs } from "./marked-jobs.ts";
import { rereadable } from "./read-once.ts";
import type { End, Task, Workplace } from "./workplace.ts";

/** What the items of a batch with a journal share besides. */
export interface JournaledWorkplace extends Workplace {
  readonly logbook: Logbook;
  /** Cost of earlier runs, if the batch has a budget. */
  readonly charges: JournalCharges | undefined;
  readonly marked: MarkedJobs;
  /** Whether `sync: "auto"` holds. */
  readonly holds: () => boolean;
}

/** Makes a try-on that is written down before it is sent, or takes it up where an earlier run left it. */
export async function makeOnce(place: JournaledWorkplace, task: Task): Promise<End> {
  const { logbook, charges, sync, holds, timeout, tryon } = place;
  const { id, signal } = task;
  const input = await abortable(rereadable(task.input), signal);
  const prepared = prepareInput(input);
  const digest = await abortable(digestOf(prepared), signal);
  if (charges) await abortable(charges.load(), signal);
  const entry = await logbook.get(id);
  // It came out of an input, which it still is.
  const item = new Making(place, { ...task, input: input as Task["input"] });
  if (entry && entry.state !== "refused") {
    if (entry.digest === digest) return item.takeUp(entry);
    throw new InputError("id", `${JSON.stringify(id)} was submitted before with another input`, {
      hint: "Nothing was sent: give what has changed an id of its own.",
    });
  }
  const wanted = sync ?? prepared.wait ?? "auto";
  // An answer that is waited for no longer than this leaves the item unknown, where a job can be waited for later.
  const suffices = timeout === undefined || readDuration(timeout) >= maxSyncWait + syncGrace;
  return item.begin({
    id,
    state: "sending",
    idempotencyKey: entry?.idempotencyKey ?? randomKey(),
    digest,
    held: wanted === "auto" ? suffices && holds() : wanted,
    size: typeof prepared.size === "string" ? prepared.size : "1K",
    sentAt: tryon.clock.now(),
  });
}

/** One item on its way through the journal. */
class Making {
  readonly #place: JournaledWorkplace;
  readonly #task: Task;
  #entry: JournalEntry | undefined;
  #startedAt: number | undefined;
  /** The job of the submission, once it is known. */
  #job: Job | undefined;

  constructor(place: JournaledWorkplace, task: Task) {
    this.#place = place;
    this.#task = task;
  }

  /** Submits for the first time, or anew after it was proved that nothing had happened. */
  async begin(planned: JournalEntry): Promise<End> {
    const { logbook, charges, tryon } = this.#place;
    await this.#task.turn();
    this.#task.signal.throwIfAborted();
    const entry = { ...planned, sentAt: tryon.clock.now() };
    await logbook.first(entry);
    charges?.leave(entry);
    return this.#send(entry, false);
  }

  /** Goes on where an earlier run stopped. */
  async takeUp(entry: JournalEntry): Promise<End> {
    const { tryon } = this.#place;
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

  /** Whether the service still knows the key. A clock that went back says nothing. */
  #isReplayable({ sentAt }: JournalEntry): boolean {
    const age = this.#place.tryon.clock.now() - sentAt;
    return age >= 0 && age <= this.#place.tryon.idempotencyWindow;
  }

  async #send(entry: JournalEntry, again: boolean): Promise<End> {
    const { tryon, timeout, charges } = this.#place;
    const budget = charges?.of(entry) ?? this.#place.budget;
    const { clock } = tryon;
    const { input, signal } = this.#task;
    this.#entry = entry;
    this.#startedAt = clock.now();
    // Other than the calls of the client, this one may not be the first: it has to end while the key is remembered.
    const limit = new AbortController();
    const onAbort = (): void => limit.abort(signal.reason);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    const left = (): number => entry.sentAt + tryon.idempotencyWindow - clock.now();
    const onTime = (): void => {
      if (left() < 0) limit.abort(tooLate);
      else timer = clock.setTimeout(onTime, Math.min(left() + 1, longestTimer));
    };
    let timer: unknown;
    if (again) onTime();
    let sending = false;
    let written: Promise<void> | undefined;
    const onUpdate = (update: Update): void => {
      if (update.phase === "sending") {
        sending = true;
        // Timers stand still while the machine sleeps.
        if (again && left() < 0) limit.abort(tooLate);
      }
      if ("job" in update) this.#job = update.job;
      if (update.phase !== "waiting" || written) return;
      clock.clearTimeout(timer);
      written = this.#write("submitted", update.job);
    };
    const { idempotencyKey, held: sync } = entry;
    const limits = { timeout, budget, signal: limit.signal };
    const options = { ...limits, idempotencyKey, keyInMetadata: true, sync, onUpdate };
    try {
      const result = await tryon.run(input, options);
      await written;
      await this.#write("succeeded", result.job);
      return this.#end({ result, job: result.job, attempts: result.receipt.attempts });
    } catch (error) {
      await written;
      return await this.#failed(error, again || sending ? again : undefined, limit.signal);
    } finally {
      clock.clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** @param again - Whether an earlier run may have sent it; undefined when nobody has. */
  async #failed(error: unknown, again: boolean | undefined, limit: AbortSignal): Promise<End> {
    const { timeout } = this.#place;
    const { signal } = this.#task;
    const entry = this.#entry as JournalEntry;
    if (isTryOnError(error) && error.job) return this.#unfinished(error, error.job);
    if (isTryOnError(error, "idempotency_conflict") && error.recover) {
      // It is under a key of our own: an attempt of it is still being worked on, or the service takes it for another.
      let job: Job;
      try {
        job = await error.recover({ timeout, signal: limit });
      } catch {
        return this.#find(entry, this.#now(), error);
      }
      return this.#wait(entry, job);
    }
    const attempts = isTryOnError(error) ? error.attempts : [];
    // A caller may abort with any reason, also one that looks like proof.
    const isProved = isProof(error) && !signal.aborted;
    if (again === undefined || (!again && isProved)) {
      await this.#write("refused");
    } else if (again && ((isProved && attempts.length > 0) || error === tooLate)) {
      // What is refused now may have been taken before.
      return this.#find(entry, this.#now(), error);
    }
    return this.#end({ error, attempts, job: this.#job });
  }

  /** Looks for the job of a submission that cannot be sent again. */
  async #find(entry: JournalEntry, lastSentAt: number, cause?: unknown): Promise<End> {
    const { marked, tryon } = this.#place;
    const { idempotencyKey, sentAt } = entry;
    const { signal } = this.#task;
    this.#entry = entry;
    let failure = cause === tooLate ? undefined : cause;
    const look = (since: number, limits?: CallOptions): Promise<string | undefined> =>
      marked.find({ idempotencyKey, firstSentAt: sentAt, lastSentAt: since }, limits);
    const id = await look(lastSentAt, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      failure ??= error;
      return undefined;
    });
    if (id !== undefined) {
      // Others are not read before this one has had its turn, and it may run for long.
      if (this.#startedAt === undefined) await this.#task.turn();
      return this.#wait(entry, tryon.jobs.resume({ id, idempotencyKey }));
    }
    const error = new OutcomeUnknownError(
      `Item ${JSON.stringify(entry.id)} may have been made by an earlier run, and the list does not show its mark.`,
      {
        hint: "It is not sent again, since that could pay twice: look whether it is there, or give it a new id to have it made anew.",
        idempotencyKey,
        cause: failure,
        recover: async (limits) => {
          const found = await look(this.#now(), limits);
          if (found === undefined) throw error;
          return tryon.jobs.resume({ id: found, idempotencyKey });
        },
      },
    );
    return this.#end({ error });
  }

  async #wait(entry: JournalEntry, job: Job): Promise<End> {
    const { timeout, tryon } = this.#place;
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

  async #unfinished(error: unknown, job: Job): Promise<End> {
    const state = isTryOnError(error, "job_failed") ? "failed" : "submitted";
    if (this.#entry?.state !== state) await this.#write(state, job);
    return this.#end({ error, job, attempts: isTryOnError(error) ? error.attempts : [] });
  }

  /** Writes down how far the item has come. */
  async #write(state: JournalState, job?: Job): Promise<void> {
    // Everything that is written down follows an entry.
    const entry = this.#entry as JournalEntry;
    const { job: _earlier, ...rest } = entry;
    this.#entry = { ...rest, state, ...(job && { job: job.toJSON() }) };
    this.#place.charges?.of(entry)?.update(this.#entry);
    await this.#place.logbook.put(this.#entry);
  }

  #end(end: End): End {
    return this.#startedAt === undefined ? end : { ...end, startedAt: this.#startedAt };
  }

  #now(): number {
    return this.#place.tryon.clock.now();
  }
}

/** Why the sending of an item that an earlier run may have sent was ended. */
const tooLate = new DOMException("The service may have forgotten the key.", "TimeoutError");
