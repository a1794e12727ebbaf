import type { CallOptions } from "../types/call-options.ts";
import type { Attempt } from "../types/attempt.ts";
import type { JobData, TimelineEntry } from "../types/job.ts";
import { within, type Deadline } from "../http/deadline.ts";
import { WaitTimeoutError } from "../errors/wait-timeout-error.ts";
import { JobHandle } from "./job-handle.ts";
import type { JobContext } from "./job-context.ts";
import { takeKeyFromMetadata } from "./key-in-metadata.ts";
import type { PendingWait } from "./pending-wait.ts";

/** Origin of a job. */
interface Origin {
  readonly idempotencyKey?: string | undefined;
  readonly attempts?: readonly Attempt[];
  readonly timeline?: TimelineEntry[];
  /** `x-request-id` of the response to the submission. */
  readonly requestId?: string | undefined;
  /** `output_size` of the submission, if this client submitted the job. */
  readonly size?: string;
  /** If true, the data was saved, or is only an id: the service has not been asked yet. */
  readonly unseen?: boolean;
}

/** State of a job. {@link Job} is its public side. */
export class JobRecord {
  readonly #context: () => JobContext;
  readonly id: string;
  idempotencyKey: string | undefined;
  readonly attempts: readonly Attempt[];
  readonly timeline: TimelineEntry[];
  readonly requestId: string | undefined;
  readonly size: string | undefined;
  readonly job = new JobHandle(this);
  data: JobData;
  /** Time of the last data from the service, in milliseconds since 1970. */
  dataAt = 0;
  /** Credits of the key when the job was submitted, if the service said so. */
  balance: number | null | undefined;
  /** If true, the service has not been asked yet: `data` is a hint. */
  unseen: boolean;
  readonly knownAt: number;

  constructor(context: () => JobContext, data: JobData, origin: Origin = {}) {
    this.#context = context;
    this.id = data.job_id;
    this.idempotencyKey = origin.idempotencyKey;
    this.attempts = origin.attempts ?? [];
    this.timeline = origin.timeline ?? [];
    this.requestId = origin.requestId;
    this.size = origin.size;
    this.data = data;
    this.unseen = origin.unseen === true;
    if (this.unseen) this.#merge(data);
    else this.update(data);
    this.knownAt = this.dataAt;
  }

  /** Parts of the client. Resolves its options on first use. */
  get context(): JobContext {
    return this.#context();
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
      if (job[name]) known[name] = this.context.config.redact(job[name]);
    }
    this.data = known;
  }

  /** Runs work for this job within the deadline of a call. */
  within<Result>(
    options: CallOptions,
    work: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result> {
    const { config } = this.context;
    return within(config, options, config.timeout, work);
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
