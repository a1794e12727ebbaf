import type { CallOptions } from "../types/call-options.ts";
import type { Attempt } from "../types/attempt.ts";
import type { Job, JobData, TimelineEntry } from "../types/job.ts";
import { within, type Deadline } from "../http/deadline.ts";
import { WaitTimeoutError } from "../errors/job-errors.ts";
import type { ClientContext, ClientContexts } from "./client-context.ts";
import type { Config } from "../config/resolve-config.ts";
import { takeKeyFromMetadata } from "./key-in-metadata.ts";
import type { PendingWait } from "./pending-wait.ts";

/** Origin of a job. */
export interface Origin {
  /** Context of the key that the job belongs to. Undefined if the data was saved, or is only an id. */
  readonly context?: ClientContext | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly attempts?: readonly Attempt[];
  readonly timeline?: TimelineEntry[];
  /** `x-request-id` of the response to the submission. */
  readonly requestId?: string | undefined;
  /** `output_size` of the submission, if this client submitted the job. */
  readonly size?: string;
}

/** State of a job. {@link Job} is its public side. */
export class JobRecord {
  readonly #contexts: ClientContexts;
  #context: ClientContext | undefined;
  readonly id: string;
  idempotencyKey: string | undefined;
  readonly attempts: readonly Attempt[];
  readonly timeline: TimelineEntry[];
  readonly requestId: string | undefined;
  readonly size: string | undefined;
  readonly job: Job;
  data: JobData;
  /** Time of the last data from the service, in milliseconds since 1970. */
  dataAt = 0;
  /** Credits of the key when the job was submitted, if the service said so. */
  balance: number | null | undefined;
  /** If true, the service has not been asked yet: `data` is a hint. */
  unseen: boolean;
  readonly knownAt: number;

  constructor(
    contexts: ClientContexts,
    data: JobData,
    origin: Origin,
    createHandle: (record: JobRecord) => Job,
  ) {
    this.#contexts = contexts;
    this.#context = origin.context;
    this.job = createHandle(this);
    this.id = data.job_id;
    this.idempotencyKey = origin.idempotencyKey;
    this.attempts = origin.attempts ?? [];
    this.timeline = origin.timeline ?? [];
    this.requestId = origin.requestId;
    this.size = origin.size;
    this.data = data;
    this.unseen = origin.context === undefined;
    if (origin.context) this.update(data);
    else this.#merge(data);
    this.knownAt = this.dataAt;
  }

  get config(): Config {
    return this.#context?.config ?? this.#contexts.config;
  }

  /** Context of the key that the job belongs to. */
  get context(): ClientContext {
    if (this.#context) return this.#context;
    throw new Error("A saved job gets its context from its first call.");
  }

  /** Uses the context of a call for a saved job. */
  useContext(context: ClientContext): void {
    this.#context ??= context;
  }

  /** Takes the data of a response. Fields that it leaves out stay as they were. */
  update(data: JobData): void {
    const { config, spendTracker } = this.context;
    this.#merge(data);
    this.dataAt = config.clock.now();
    this.unseen = false;
    this.balance = data.credits_remaining ?? this.balance;
    spendTracker.recordJob(data);
  }

  #merge(data: JobData): void {
    const { job, idempotencyKey } = takeKeyFromMetadata(data);
    this.idempotencyKey ??= idempotencyKey;
    // The response of the service replaces saved data as a whole.
    const known = { ...(!this.unseen && this.data), ...job };
    // Errors carry the job into logs, and services repeat what they were sent.
    for (const name of ["error_code", "error_message", "message"] as const) {
      if (job[name]) known[name] = this.config.redact(job[name]);
    }
    this.data = known;
  }

  /** Runs work for this job within the deadline of a call. */
  within<Result>(
    options: CallOptions,
    work: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result> {
    const { config } = this;
    if (this.#context) return within(config, options, config.timeout, work);
    return this.#contexts.within(options, undefined, (context, deadline) => {
      this.#context = context;
      return work(deadline);
    });
  }

  /** Polls the job once. */
  async refresh(deadline: Deadline): Promise<void> {
    this.update((await this.context.api.getJob(this.id, { deadline })).data);
  }

  /** Adds the job to any error of the work, since the job runs on and may be paid for. */
  async keepOnErrors<Result>(
    deadline: Deadline,
    work: Promise<Result>,
    wait?: PendingWait,
  ): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      deadline.throwIfAborted();
      if (deadline.passed) throw new WaitTimeoutError(this.job, { cause: wait?.failure });
      Reflect.set(Object(error), "job", this.job);
      throw error;
    }
  }
}
