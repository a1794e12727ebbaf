import type { IdempotencyRecord, JobRecord, StoredResponse } from "../store/records.ts";
import type { Tables } from "../store/store.ts";
import { limits } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import type { JobScheduler } from "./job-scheduler.ts";
import { ServiceError } from "./service-error.ts";

export interface SubmitResponse {
  readonly job: JobRecord;
  readonly response: StoredResponse;
  readonly creditsRemaining: number;
  readonly replayed: boolean;
}

export interface SyncRequest {
  readonly recordId: string | undefined;
  readonly jobId: string;
}

/** First responses to submissions, which repeats under the same idempotency key get too. */
export class FirstResponses {
  readonly #context: ServiceContext;
  readonly #scheduler: JobScheduler;
  /** Requests without a response, by the id of their job. */
  readonly #pending = new Map<string, Promise<SubmitResponse>>();

  constructor(context: ServiceContext, scheduler: JobScheduler) {
    this.#context = context;
    this.#scheduler = scheduler;
  }

  /** Completes the requests of the store that have no response yet, so that repeats of them get one. */
  resume(): void {
    const { system, store } = this.#context;
    for (const { id: recordId, jobId } of store.transact((tables) =>
      tables.idempotency.all("pending"),
    )) {
      const request = { recordId, jobId };
      void system.clock.during(() => this.share(request, this.wait(request)));
    }
  }

  /** @throws ServiceError of the first request, or `conflict` while it is in progress if the options say so. */
  async replay(record: IdempotencyRecord): Promise<SubmitResponse> {
    const { jobId, response } = record;
    const { store, options, system } = this.#context;
    if (response !== null && "reason" in response) {
      throw new ServiceError(response.reason, response.detail, response.rule);
    }
    const pending = this.#pending.get(jobId);
    if (pending === undefined) {
      const shown = options.replayBody === "first" ? response : null;
      return store.transact((tables) => respond(tables, jobId, shown, true));
    }
    if (options.concurrentTwin === 409) {
      throw new ServiceError(
        "conflict",
        "A request with this Idempotency-Key is still in progress; retry with the same key in a moment.",
        "submit.idempotency-key.concurrent",
      );
    }
    return { ...(await system.clock.outside(pending)), replayed: true };
  }

  async share(request: SyncRequest, response: Promise<SubmitResponse>): Promise<SubmitResponse> {
    const { jobId } = request;
    this.#pending.set(jobId, response);
    try {
      return await response;
    } finally {
      this.#pending.delete(jobId);
    }
  }

  /** Waits for the end of the job, up to 90 s after its creation, and completes the request. */
  async wait(request: SyncRequest): Promise<SubmitResponse> {
    const { jobId } = request;
    const { clock } = this.#context.system;
    const readJob = () => this.#context.store.transact((tables) => tables.jobs.getOrThrow(jobId));
    const { createdAt, completedAt } = readJob();
    // Stryker disable next-line ConditionalExpression: shown only after a stop between the end of a job and its response.
    if (completedAt === null) {
      const delay = createdAt + limits.syncWait - clock.now();
      await clock.within(delay, () => this.#scheduler.ended(jobId));
    }
    const job = readJob();
    const message = `Not finished within 90 seconds; the job continues. Poll GET /api/v1/tryon/${jobId}.`;
    return this.complete(request, responseFor(job, job.completedAt === null ? message : null));
  }

  complete({ recordId, jobId }: SyncRequest, response: StoredResponse): SubmitResponse {
    return this.#context.store.transact((tables) => {
      if (recordId !== undefined) {
        tables.idempotency.put({ ...tables.idempotency.getOrThrow(recordId), response });
      }
      return respond(tables, jobId, response, false);
    });
  }
}

export function responseFor(
  { status, errorCode, errorMessage }: JobRecord,
  message: string | null = null,
): StoredResponse {
  return { status, errorCode, errorMessage, message };
}

/** Adds the job and the current balance to a response. The default response is that of the job as it is now. */
function respond(
  tables: Tables,
  jobId: string,
  response: StoredResponse | null,
  replayed: boolean,
): SubmitResponse {
  const job = tables.jobs.getOrThrow(jobId);
  const { credits } = tables.keys.getOrThrow(job.keyId);
  return { job, response: response ?? responseFor(job), creditsRemaining: credits, replayed };
}
