import type { IdempotencyRecord, JobRecord, StoredResponse } from "../store/records.ts";
import { getKey, type Transaction } from "../store/store.ts";
import type { ServiceContext } from "./context.ts";
import type { JobScheduler } from "./job-scheduler.ts";
import { ServiceError, serverError } from "./service-error.ts";

/** Response to a submission, before it becomes JSON. */
export interface SubmitResponse {
  readonly job: JobRecord;
  readonly response: StoredResponse;
  readonly creditsRemaining: number;
  readonly replayed: boolean;
}

/** Request that waits for the end of its job. */
export interface SyncRequest {
  readonly keyId: string;
  readonly idempotencyKey: string | undefined;
  readonly jobId: string;
  /** Time of the response if the job has not ended before. */
  readonly until: number;
}

interface PendingRequest {
  readonly request: SyncRequest;
  readonly response: Promise<SubmitResponse>;
}

/** First responses to submissions, which repeats under the same idempotency key get too. */
export class FirstResponses {
  readonly #context: ServiceContext;
  readonly #scheduler: JobScheduler;
  readonly #pending = new Map<string, PendingRequest>();

  constructor(context: ServiceContext, scheduler: JobScheduler) {
    this.#context = context;
    this.#scheduler = scheduler;
  }

  /** Requests with an idempotency key that have no response yet. */
  get state(): readonly SyncRequest[] {
    return Array.from(this.#pending.values(), ({ request }) => request);
  }

  /** Completes requests of a restored state, so that repeats of them get a response. */
  resume(requests: readonly SyncRequest[]): void {
    const { clock } = this.#context.system;
    for (const request of requests) {
      void clock.during(() => this.share(request, this.wait(request)));
    }
  }

  /**
   * Repeats the first response, or waits for it.
   *
   * @throws ServiceError `conflict` while the first request is in progress, if the options say so.
   */
  async replay(record: IdempotencyRecord): Promise<SubmitResponse> {
    const { response, jobId } = record;
    const { store, options, system } = this.#context;
    if (response !== null && response !== "server-error") {
      return store.transact((transaction) => respond(transaction, jobId, response, true));
    }
    if (response === null && options.concurrentTwin === 409) {
      throw new ServiceError(
        "conflict",
        "A request with this Idempotency-Key is still in progress; retry with the same key in a moment.",
      );
    }
    const pending = this.#pending.get(requestId(record));
    if (response === "server-error" || pending === undefined) throw serverError();
    return { ...(await system.clock.outside(pending.response)), replayed: true };
  }

  /** Makes repeats of a request wait for its response. */
  async share(request: SyncRequest, response: Promise<SubmitResponse>): Promise<SubmitResponse> {
    if (request.idempotencyKey === undefined) return response;
    const id = requestId(request);
    this.#pending.set(id, { request, response });
    try {
      return await response;
    } finally {
      // After a rollback, another request may use the key already.
      if (this.#pending.get(id)?.response === response) this.#pending.delete(id);
    }
  }

  /** Waits for the end of the job, and completes the request. */
  async wait(request: SyncRequest): Promise<SubmitResponse> {
    const { jobId, until } = request;
    const { system, store } = this.#context;
    const { clock } = system;
    let timer: ReturnType<typeof clock.setTimeout> | undefined;
    const timeout = new Promise<undefined>((resolve) => {
      timer = clock.setTimeout(() => resolve(undefined), until - clock.now());
    });
    const ended = await clock.outside(Promise.race([this.#scheduler.ended(jobId), timeout]));
    clock.clearTimeout(timer);
    if (ended !== undefined) return this.complete(request, responseFor(ended));
    // A queued job must not be reported as running, or its next poll would go back to queued.
    const isQueued = store.transact((transaction) => transaction.job(jobId))?.status === "queued";
    return this.complete(request, {
      status: isQueued ? "queued" : "running",
      errorCode: null,
      errorMessage: null,
      message: `Not finished within 90 seconds; the job continues. Poll GET /api/v1/tryon/${jobId}.`,
    });
  }

  /** Stores the first response for repeats of the request. */
  complete(
    { keyId, idempotencyKey, jobId }: SyncRequest,
    response: StoredResponse,
  ): SubmitResponse {
    return this.#context.store.transact((transaction) => {
      const record =
        idempotencyKey === undefined ? undefined : transaction.idempotency(keyId, idempotencyKey);
      if (record !== undefined) transaction.putIdempotency({ ...record, response });
      return respond(transaction, jobId, response, false);
    });
  }
}

function requestId({ keyId, idempotencyKey }: Pick<SyncRequest, "keyId" | "idempotencyKey">) {
  return `${keyId}\n${idempotencyKey}`;
}

/** Describes a job in a response. */
export function responseFor({ status, errorCode, errorMessage }: JobRecord): StoredResponse {
  return { status, errorCode, errorMessage, message: null };
}

/** Adds the job and the current balance to a response. */
function respond(
  transaction: Transaction,
  jobId: string,
  response: StoredResponse,
  replayed: boolean,
): SubmitResponse {
  const job = transaction.job(jobId);
  if (job === undefined) throw serverError();
  const { credits } = getKey(transaction, job.keyId);
  return { job, response, creditsRemaining: credits, replayed };
}
