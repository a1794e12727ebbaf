import { isTryOnError, type CallOptions, type Job, type TryOn } from "@tryon/client";

import { maxClockSkew, serviceTime } from "../jobs/job-data.ts";

/** Submission whose job is unknown. Times are in milliseconds since 1970. */
interface LostSubmission {
  readonly idempotencyKey: string;
  /** Time of the first request. Jobs that are an hour older cannot belong to it. */
  readonly firstSentAt: number;
  /** Time of the last request. An iteration that began earlier may have missed the job. */
  readonly lastSentAt: number;
}

/** Finds jobs by the idempotency key in their metadata, with one iteration over the list for all submissions. */
export class JobLookup {
  readonly #tryon: TryOn;
  readonly #ids = new Map<string, string>();
  #jobs: AsyncIterator<Job> | undefined;
  #beganAt = Number.NEGATIVE_INFINITY;
  /** Creation time of the last job of the iteration, in milliseconds since 1970. */
  #reached = Number.POSITIVE_INFINITY;
  #last: Promise<unknown> = Promise.resolve();

  constructor(tryon: TryOn) {
    this.#tryon = tryon;
  }

  /** Returns the id of a submission's job, if the list contains it. */
  find(lost: LostSubmission, limits: CallOptions = {}): Promise<string | undefined> {
    const found = this.#last.then(() => this.#find(lost, limits));
    this.#last = found.catch(() => undefined);
    return found;
  }

  async #find(lost: LostSubmission, limits: CallOptions): Promise<string | undefined> {
    const { idempotencyKey, firstSentAt, lastSentAt } = lost;
    limits.signal?.throwIfAborted();
    const now = this.#tryon.clock.now();
    // If the clock was set back, the iteration would end too early.
    const oldest = Math.min(firstSentAt, now) - maxClockSkew;
    let jobs = this.#beganAt > lastSentAt ? this.#jobs : undefined;
    if (jobs === undefined) {
      jobs = listJobs(this.#tryon, limits);
      this.#ids.clear();
      this.#beganAt = now;
      this.#reached = Number.POSITIVE_INFINITY;
    }
    // A failed iteration cannot continue.
    this.#jobs = undefined;
    while (!this.#ids.has(idempotencyKey) && this.#reached >= oldest) {
      const next = await jobs.next();
      if (next.done === true) this.#reached = Number.NEGATIVE_INFINITY;
      else this.#add(next.value);
    }
    this.#jobs = jobs;
    return this.#ids.get(idempotencyKey);
  }

  #add({ id, idempotencyKey, data }: Job): void {
    if (idempotencyKey !== undefined) this.#ids.set(idempotencyKey, id);
    const createdAt = serviceTime(data.created_at);
    if (!Number.isNaN(createdAt)) this.#reached = createdAt;
  }
}

/** Yields the jobs, newest first, in pages of the maximum size. If the service rejects it, its default applies. */
async function* listJobs(tryon: TryOn, { signal, timeout }: CallOptions) {
  try {
    yield* tryon.jobs.list({ limit: 100, signal, timeout });
  } catch (error) {
    if (!isTryOnError(error, "validation_failed")) throw error;
    yield* tryon.jobs.list({ signal, timeout });
  }
}
