import type { JobRecord, JobStatus } from "../store/records.ts";
import { limits } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { ServiceError } from "./service-error.ts";

export interface JobPage {
  readonly jobs: readonly JobRecord[];
  readonly nextCursor: string | null;
}

/** Reads the jobs of one key. Jobs of other keys are not found. */
export class Jobs {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** @throws ServiceError `not-found` */
  async get(keyId: string, jobId: string): Promise<JobRecord> {
    const job = this.#context.store.transact((transaction) => transaction.job(jobId));
    if (job === undefined || job.keyId !== keyId || job.createdAt > this.#visibleUntil()) {
      throw new ServiceError("not-found", "Job not found.");
    }
    return job;
  }

  /** @throws ServiceError `bad-request` for an unknown cursor. */
  async list(
    keyId: string,
    query: { limit: number; cursor: string | undefined; status: JobStatus | undefined },
  ): Promise<JobPage> {
    const { limit, cursor, status } = query;
    return this.#context.store.transact((transaction) => {
      const before = cursor === undefined ? undefined : transaction.job(cursor);
      if (cursor !== undefined && before?.keyId !== keyId) {
        throw new ServiceError(
          "bad-request",
          "cursor: unknown; pass the next_cursor of the previous page, or omit it for the first page.",
        );
      }
      const found = transaction.jobs({
        keyId,
        limit: limit + 1,
        createdUntil: this.#visibleUntil(),
        ...(before && { before }),
        ...(status && { status }),
      });
      const jobs = found.slice(0, limit);
      return { jobs, nextCursor: found.length > limit ? (jobs.at(-1)?.id ?? null) : null };
    });
  }

  /** Reads the image of a job. Returns undefined if the job has no image or it was purged. */
  async result(jobId: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const job = this.#context.store.transact((transaction) => transaction.job(jobId));
    return job === undefined || this.isPurged(job) ? undefined : job.result?.bytes;
  }

  /** Returns true once the retention of the job's image is over. */
  isPurged(job: JobRecord): boolean {
    const { clock } = this.#context.system;
    return job.completedAt !== null && job.completedAt + limits.resultRetention <= clock.now();
  }

  #visibleUntil(): number {
    return this.#context.system.clock.now() - this.#context.options.readLag;
  }
}
