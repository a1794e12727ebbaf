import { WaitTimeoutError } from "../errors/wait-timeout-error.ts";
import type { Attempt } from "../errors/tryon-error.ts";
import type { CallOptions } from "../config/options.ts";
import type { Settings } from "../config/resolve-config.ts";
import type { CreditBook } from "../billing/spend-tracker.ts";
import type { Purchases } from "../billing/purchases.ts";
import { within, type Deadline } from "../http/deadline.ts";
import type { Service } from "../api/service.ts";
import { Job } from "./job.ts";
import type { JobData } from "./job-data.ts";
import { late, type Late } from "./late.ts";
import { readMark } from "./key-in-metadata.ts";
import type { TimelineEntry, TryOnResult } from "./result.ts";
import type { Notify } from "./updates.ts";
import type { Watch } from "./pending-wait.ts";
import type { Watcher } from "./job-poller.ts";

/** What jobs need of the client. */
export interface Parts {
  readonly settings: () => Settings;
  readonly service: Service;
  /** There from the first wait on. */
  watcher?: Watcher;
  /** There from the first submission or purchase on. */
  book?: CreditBook;
  purchases?: Purchases;
}

/** What is known of how a job came to be. */
interface Origin {
  readonly idempotencyKey?: string | undefined;
  readonly attempts?: readonly Attempt[];
  readonly timeline?: TimelineEntry[];
  /** The `x-request-id` of the answer to its submission. */
  readonly requestId?: string | undefined;
  /** If true, the data was saved, or is only an id: the service has not been asked yet. */
  readonly unseen?: boolean;
}

/** A job as the client knows it; {@link Job} is its face. */
export class JobLife {
  readonly parts: Parts;
  readonly id: string;
  idempotencyKey: string | undefined;
  readonly attempts: readonly Attempt[];
  readonly timeline: TimelineEntry[];
  readonly requestId: string | undefined;
  /** The `output_size` that it was submitted with, if it was here. */
  size: string | undefined;
  readonly job = new Job(this);
  data: JobData;
  /** When the service was last heard of this job, in milliseconds since 1970. */
  dataAt = 0;
  /** The credits of the key when the job was submitted, as the service said. */
  balance: number | null | undefined;
  /** If true, the service has not been asked yet: `data` is a hint. */
  unseen: boolean;
  readonly knownAt: number;

  constructor(parts: Parts, data: JobData, origin: Origin = {}) {
    this.parts = parts;
    this.id = data.job_id;
    this.idempotencyKey = origin.idempotencyKey;
    this.attempts = origin.attempts ?? [];
    this.timeline = origin.timeline ?? [];
    this.requestId = origin.requestId;
    this.data = data;
    this.unseen = origin.unseen === true;
    if (this.unseen) this.#show(data);
    else this.learn(data);
    this.knownAt = this.dataAt;
  }

  get settings(): Settings {
    return this.parts.settings();
  }

  /** Takes what the service says now; what it leaves out stays as it was. */
  learn(data: JobData): void {
    this.#show(data);
    this.dataAt = this.settings.clock.now();
    this.unseen = false;
    this.balance = data.credits_remaining ?? this.balance;
    this.parts.book?.hear(data);
  }

  #show(data: JobData): void {
    const { job, mark } = readMark(data);
    this.idempotencyKey ??= mark;
    // The response of the service replaces saved data as a whole.
    const known = { ...(!this.unseen && this.data), ...job };
    // A job is on errors, which go into logs, and services repeat what they were sent.
    for (const name of ["error_code", "error_message", "message"] as const) {
      if (job[name]) known[name] = this.settings.redact(job[name]);
    }
    this.data = known;
  }

  /** Does work for this job within the limits of a call. */
  within<Result>(
    options: CallOptions,
    work: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result> {
    return within(this.settings, options, this.settings.timeout, work);
  }

  /** Asks the service once. */
  async refresh(deadline: Deadline): Promise<void> {
    this.learn(await this.parts.service.job(this.id, { deadline }));
  }

  /** What is worked on. The job is there and may be paid for: no error may lose it. */
  async keep<Result>(deadline: Deadline, work: Promise<Result>, watch?: Watch): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      deadline.throwIfAborted();
      if (deadline.passed) throw new WaitTimeoutError(this.job, { cause: watch?.failure });
      Reflect.set(Object(error), "job", this.job);
      throw error;
    }
  }

  /** What waits for jobs, which may have to be loaded first. */
  late(deadline: Deadline): Promise<Late> {
    return this.keep(deadline, late(deadline));
  }

  /** Waits for the end and gives the result, or throws how it failed. */
  async finish(deadline: Deadline, notify: Notify): Promise<TryOnResult> {
    const { finish } = await this.late(deadline);
    return finish(this, deadline, notify);
  }
}
