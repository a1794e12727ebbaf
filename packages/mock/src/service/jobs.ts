import { drawStockImage } from "../engine/stock.ts";
import type { JobRecord, JobStatus } from "../store/records.ts";
import { limits } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { ServiceError } from "./service-error.ts";

export interface JobPage {
  readonly jobs: readonly JobRecord[];
  readonly nextCursor: string | null;
}

export function createJobs({ store, system, options, settings }: ServiceContext) {
  const visibleUntil = (): number => system.clock.now() - options.readLag;
  const isPurged = ({ completedAt }: JobRecord): boolean =>
    completedAt !== null && completedAt + limits.resultRetention <= system.clock.now();
  return {
    isPurged,
    /** Frees the images that are past their retention, and forgets the jobs that are. */
    purge(): void {
      store.transact(({ jobs, deliveries }) => {
        const last = system.clock.now() - settings.jobRetention;
        for (const status of ["succeeded", "failed"]) {
          for (
            let job = jobs.oldest(status);
            job && (job.completedAt ?? Infinity) <= last;
            job = jobs.oldest(status)
          ) {
            for (const { id } of deliveries.all(job.id)) deliveries.remove(id);
            jobs.remove(job.id);
          }
        }
        for (
          let job = jobs.oldest("image");
          job?.result && isPurged(job);
          job = jobs.oldest("image")
        ) {
          const { width, height, length } = job.result;
          jobs.put({ ...job, result: { width, height, length } });
        }
      });
    },
    async get(keyId: string, jobId: string): Promise<JobRecord> {
      const job = store.transact((tables) => tables.jobs.get(jobId));
      if (job !== undefined && job.createdAt <= visibleUntil()) {
        if (job.keyId === keyId) return job;
        if (options.foreignJob === 403) {
          throw new ServiceError(
            "forbidden",
            "The job belongs to another API key.",
            "poll.404.job-of-another-key",
          );
        }
      }
      const isLate = job?.keyId === keyId;
      const rule = isLate
        ? "poll.fresh-job.visible"
        : job === undefined
          ? "poll.404.unknown-job"
          : "poll.404.job-of-another-key";
      throw new ServiceError("not-found", "Job not found.", rule);
    },
    async list(
      keyId: string,
      query: { limit: number; cursor: string | undefined; status: JobStatus | undefined },
    ): Promise<JobPage | undefined> {
      const { limit, cursor, status } = query;
      return store.transact((tables) => {
        if (cursor !== undefined && tables.jobs.get(cursor)?.keyId !== keyId) return undefined;
        const found: JobRecord[] = [];
        const group = status === undefined ? keyId : `${keyId} ${status}`;
        for (const job of tables.jobs.newestFirst(group, cursor)) {
          if (found.length > limit) break;
          if (job.createdAt <= visibleUntil()) found.push(job);
        }
        const jobs = found.slice(0, limit);
        return { jobs, nextCursor: found.length > limit ? (jobs.at(-1)?.id ?? null) : null };
      });
    },
    async result(jobId: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
      const job = store.transact((tables) => tables.jobs.get(jobId));
      if (job === undefined || job.result === null || isPurged(job)) return undefined;
      const { bytes, fingerprint, ...size } = job.result;
      if (fingerprint === undefined) return bytes;
      return drawStockImage({ ...size, fingerprint, seed: job.seed });
    },
  };
}
