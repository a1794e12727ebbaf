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
    let iteration = this.#iteration;
    if (iteration === undefined || iteration.startedAt <= lastSentAt) {
      const jobs = listJobs(this.#tryon, limits);
      iteration = { startedAt: now, jobs, ids: new Map(), reached: Number.POSITIVE_INFINITY };
    }
    // A failed iteration cannot continue.
    this.#iteration = undefined;
    while (!iteration.ids.has(idempotencyKey) && iteration.reached >= oldest) {
      await advance(iteration);
    }
    this.#iteration = iteration;
    return iteration.ids.get(idempotencyKey);
  }
}

/** Yields the jobs, newest first. */
async function* listJobs(tryon: TryOn, { signal, timeout }: CallOptions) {
  try {
    yield* tryon.jobs.list({ limit: maxPageSize, signal, timeout });
  } catch (error) {
    if (!isTryOnError(error, "validation_failed")) throw error;
    yield* tryon.jobs.list({ signal, timeout });
  }
}

async function advance(iteration: ListIteration): Promise<void> {
  const next = await iteration.jobs.next();
  if (next.done === true) {
    // The end of the list is older than any job.
    iteration.reached = Number.NEGATIVE_INFINITY;
    return;
  }
  const { id, idempotencyKey, data } = next.value;
  if (idempotencyKey !== undefined) iteration.ids.set(idempotencyKey, id);
  const createdAt = serviceTime(data.created_at);
  if (!Number.isNaN(createdAt)) iteration.reached = createdAt;
}
