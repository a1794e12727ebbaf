import { isTryOnError, type CallOptions, type Job, type TryOn } from "@tryon/client";

import { maxClockSkew, serviceTime } from "../jobs/service-time.ts";

/** Maximum page size of the service. If the service rejects it, its default applies. */
const maxPageSize = 100;

/** Partial iteration over the list of jobs. */
interface ListIteration {
  readonly startedAt: number;
  readonly jobs: AsyncIterator<Job>;
  /** Ids of the jobs so far, by the idempotency key in their metadata. */
  readonly ids: Map<string, string>;
  /** Creation time of the last job, in milliseconds since 1970. */
  reached: number;
}

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
  #iteration: ListIteration | undefined;
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
    const reusable =
      this.#iteration && this.#iteration.startedAt > lastSentAt ? this.#iteration : undefined;
    try {
      const iteration = (this.#iteration = reusable ?? (await this.#begin(now, limits)));
      for (;;) {
        const id = iteration.ids.get(idempotencyKey);
        if (id !== undefined || iteration.reached < oldest) return id;
        if (!(await advance(iteration))) return undefined;
      }
    } catch (error) {
      // A failed iteration cannot continue.
      this.#iteration = undefined;
      throw error;
    }
  }

  async #begin(startedAt: number, { signal, timeout }: CallOptions): Promise<ListIteration> {
    const iterate = (limit?: number): ListIteration => ({
      startedAt,
      jobs: this.#tryon.jobs.list({ limit, signal, timeout })[Symbol.asyncIterator](),
      ids: new Map(),
      reached: Number.POSITIVE_INFINITY,
    });
    const iteration = iterate(maxPageSize);
    try {
      await advance(iteration);
      return iteration;
    } catch (error) {
      if (!isTryOnError(error, "validation_failed")) throw error;
      return iterate();
    }
  }
}

/** Reads the next job. Returns false at the end of the list. */
async function advance(iteration: ListIteration): Promise<boolean> {
  const next = await iteration.jobs.next();
  // The end of the list is older than any job.
  if (next.done === true) {
    iteration.reached = Number.NEGATIVE_INFINITY;
    return false;
  }
  const { id, idempotencyKey, data } = next.value;
  if (idempotencyKey !== undefined) iteration.ids.set(idempotencyKey, id);
  const createdAt = serviceTime(data.created_at);
  if (!Number.isNaN(createdAt)) iteration.reached = createdAt;
  return true;
}
