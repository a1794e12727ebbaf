import type { CallOptions, Job, TryOn } from "@tryon/client";

import { serviceTime } from "../api/service-time.ts";
import { maxClockSkew } from "../jobs/job-record.ts";
import type { JournalEntry } from "./journal.ts";

export class JobLookup {
  readonly #tryon: TryOn;
  readonly #ids = new Map<string, string>();
  #jobs: AsyncIterator<Job> | undefined;
  #reached = Infinity;
  #last: Promise<unknown> = Promise.resolve();

  constructor(tryon: TryOn) {
    this.#tryon = tryon;
  }

  /** Returns the id of an entry's job, if the list contains it. The entry must be older than the first call. */
  find(entry: JournalEntry, limits: CallOptions = {}): Promise<string | undefined> {
    const found = this.#last.then(() => this.#find(entry, limits));
    this.#last = found.catch(() => undefined);
    return found;
  }

  async #find(
    { idempotencyKey, sentAt }: JournalEntry,
    limits: CallOptions,
  ): Promise<string | undefined> {
    limits.signal?.throwIfAborted();
    // An older job cannot belong to the entry. If the clock was set back, the iteration would end too early.
    const oldest = Math.min(sentAt, this.#tryon.clock.now()) - maxClockSkew;
    if (this.#jobs === undefined) this.#reached = Infinity;
    const jobs = this.#jobs ?? this.#tryon.jobs.list(limits)[Symbol.asyncIterator]();
    // A failed iteration cannot continue.
    this.#jobs = undefined;
    while (!this.#ids.has(idempotencyKey) && this.#reached >= oldest) {
      const next = await jobs.next();
      if (next.done === true) {
        this.#reached = Number.NEGATIVE_INFINITY;
        break;
      }
      const { id, idempotencyKey: key, data } = next.value;
      if (key !== undefined) this.#ids.set(key, id);
      this.#reached = serviceTime(data.created_at) || this.#reached;
    }
    this.#jobs = jobs;
    return this.#ids.get(idempotencyKey);
  }
}
