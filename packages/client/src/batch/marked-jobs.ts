import { isTryOnError, type CallOptions, type Job, type TryOn } from "@tryon/client";

import { maxClockSkew, serviceTime } from "../jobs/service-time.ts";

/** What the service takes at most, as far as is known; where it takes less, its own default will do. */
const largestPage = 100;

/** A walk over the list that has got as far as somebody wanted. */
interface Walk {
  readonly startedAt: number;
  readonly jobs: AsyncIterator<Job>;
  /** The ids of the jobs that it came past, by the keys that they are marked with. */
  readonly ids: Map<string, string>;
  reached: number;
}

/** What is known of a submission that is looked for. */
interface Lost {
  readonly idempotencyKey: string;
  /** The walk ends at jobs that are an hour older. */
  readonly firstSentAt: number;
  /** A walk that began earlier may have missed it. */
  readonly lastSentAt: number;
}

/** Looks for jobs by the keys that they are marked with: one walk over the list for all that are looked for. */
export class MarkedJobs {
  readonly #tryon: TryOn;
  #walk: Walk | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(tryon: TryOn) {
    this.#tryon = tryon;
  }

  /** The id of the job with the mark of a submission, if the list shows one. */
  find(lost: Lost, limits: CallOptions = {}): Promise<string | undefined> {
    const found = this.#last.then(() => this.#find(lost, limits));
    this.#last = found.catch(() => undefined);
    return found;
  }

  async #find(lost: Lost, limits: CallOptions): Promise<string | undefined> {
    const { idempotencyKey, firstSentAt, lastSentAt } = lost;
    limits.signal?.throwIfAborted();
    const now = this.#tryon.clock.now();
    // A clock that went back would end the walk too soon.
    const oldest = Math.min(firstSentAt, now) - maxClockSkew;
    const kept = this.#walk && this.#walk.startedAt > lastSentAt ? this.#walk : undefined;
    try {
      const walk = (this.#walk = kept ?? (await this.#begin(now, limits)));
      for (;;) {
        const id = walk.ids.get(idempotencyKey);
        if (id !== undefined || walk.reached < oldest) return id;
        if (!(await advance(walk))) return undefined;
      }
    } catch (error) {
      // A walk that broke off cannot go on.
      this.#walk = undefined;
      throw error;
    }
  }

  async #begin(startedAt: number, { signal, timeout }: CallOptions): Promise<Walk> {
    const walkBy = (limit?: number): Walk => ({
      startedAt,
      jobs: this.#tryon.jobs.list({ limit, signal, timeout })[Symbol.asyncIterator](),
      ids: new Map(),
      reached: Number.POSITIVE_INFINITY,
    });
    const walk = walkBy(largestPage);
    try {
      await advance(walk);
      return walk;
    } catch (error) {
      if (!isTryOnError(error, "validation_failed")) throw error;
      return walkBy();
    }
  }
}

/** Goes one job further. Gives false at the end of the list. */
async function advance(walk: Walk): Promise<boolean> {
  const next = await walk.jobs.next();
  // Nothing is older than the end of the list.
  if (next.done === true) {
    walk.reached = Number.NEGATIVE_INFINITY;
    return false;
  }
  const { id, idempotencyKey, data } = next.value;
  if (idempotencyKey !== undefined) walk.ids.set(idempotencyKey, id);
  const createdAt = serviceTime(data.created_at);
  if (!Number.isNaN(createdAt)) walk.reached = createdAt;
  return true;
}
