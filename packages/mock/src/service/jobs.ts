import type { JobRecord, JobStatus } from "../store/records.ts";
import { limits } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { ServiceError } from "./service-error.ts";

export interface JobPage {
  readonly jobs: readonly JobRecord[];
  readonly nextCursor: string | null;
}

/** Reads jobs of one key. A job of another key is as if it were not there. */
export class Jobs {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** @throws Refusal `not-found` */
  async get(keyId: string, jobId: string): Promise<JobRecord> {
    const job = await this.#context.store.transact((transaction) => transaction.job(jobId));
    if (job === undefined || job.keyId !== keyId || job.createdAt > this.#visibleUntil()) {
      throw new ServiceError("not-found", "Job not found.");
    }
    return job;
  }

  /** @throws Refusal `bad-request` for a cursor that no page has given. */
  list(
    keyId: string,
    query: { limit: number; cursor: string | undefined; status: JobStatus | undefined },
  ): Promise<JobPage> {
    const { limit, cursor, status } = query;
    return this.#context.store.transact(async (transaction) => {
      const before = cursor === undefined ? undefined : await transaction.job(cursor);
      if (cursor !== undefined && before?.keyId !== keyId) {
        throw new ServiceError(
          "bad-request",
          "cursor: unknown; pass the next_cursor of the page before, or leave it out for the first page.",
        );
      }
      const found = await transaction.jobs({
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

  /**
   * The image of a job, by the job id of its signed address alone.
   *
   * @returns undefined when there is none, or none any more.
   */
  async result(jobId: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const job = await this.#context.store.transact((transaction) => transaction.job(jobId));
    return job === undefined || this.isPurged(job) ? undefined : job.result?.bytes;
  }

  /** Whether the image's 30 days are over. */
  isPurged(job: JobRecord): boolean {
    const { clock } = this.#context.system;
    return job.completedAt !== null && job.completedAt + limits.resultRetention <= clock.now();
  }

  #visibleUntil(): number {
    return this.#context.system.clock.now() - this.#context.options.readLag;
  }
}
