import type { Attempt } from "../types/attempt.ts";
import type { CallOptions } from "../types/call-options.ts";
import type {
  Job,
  JobData,
  OpenJobStatus,
  SavedJob,
  TimelineEntry,
  TryOnResult,
  WaitOptions,
} from "../types/job.ts";
import { milliseconds } from "../config/check-options.ts";
import type { Config } from "../config/resolve-config.ts";
import { JobFailedError, WaitTimeoutError } from "../errors/request-errors.ts";
import { within, type Deadline } from "../http/deadline.ts";
import { JobImage, type ResultSource } from "../images/job-image.ts";
import type { ClientContext, ClientContexts } from "./client-context.ts";
import { isFinal } from "./job-data.ts";
import { takeKeyFromMetadata } from "./key-in-metadata.ts";
import { notifier, type Notify } from "./notifier.ts";
import type { PendingWait } from "./poll-delay.ts";
import { waitOptionNames } from "./run-options.ts";
import { testKind } from "./run-times.ts";

/** Minimum duration of a submission that was synchronous or was retried, in milliseconds. */
const longSubmission = 15_000;

/** Origin of a job. */
interface Origin {
  /** Context of the key that the job belongs to. Undefined if the data was saved, or is only an id. */
  readonly context?: ClientContext | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly attempts?: readonly Attempt[];
  readonly timeline?: TimelineEntry[];
  /** `x-request-id` of the response to the submission. */
  readonly requestId?: string | undefined;
  /** `output_size` of the submission, if this client submitted the job. */
  readonly size?: string;
  /** If true, the end of a job needs no confirmation by the service. */
  readonly trustsEnd?: boolean;
}

/** Job with its state. Its fields are private, since they lead to the key. */
export class JobRecord implements Job, ResultSource {
  readonly #contexts: ClientContexts;
  readonly #origin: Origin;
  readonly #attempts: readonly Attempt[];
  readonly #timeline: TimelineEntry[];
  readonly #knownAt: number;
  #context: ClientContext | undefined;
  #idempotencyKey: string | undefined;
  #data: JobData;
  #dataAt = 0;
  /** If true, the client has not polled the job yet, and the data is a hint. */
  #unseen: boolean;
  /** Credits of the key when the job was submitted, if the service said so. */
  #balance: number | null | undefined;

  /** @internal Creates a job from data of the service, or from saved data if `origin` has no context. */
  constructor(contexts: ClientContexts, data: JobData, origin: Origin) {
    this.#contexts = contexts;
    this.#origin = origin;
    this.#context = origin.context;
    this.#idempotencyKey = origin.idempotencyKey;
    this.#attempts = origin.attempts ?? [];
    this.#timeline = origin.timeline ?? [];
    this.#data = data;
    this.#unseen = !origin.context && !(origin.trustsEnd && isFinal(data.status));
    if (origin.context) this.#update(data);
    else this.#merge(data);
    this.#knownAt = this.#dataAt;
  }

  get id(): string {
    return this.#data.job_id;
  }

  get data(): JobData {
    return this.#data;
  }

  get status(): OpenJobStatus {
    return this.#data.status;
  }

  get idempotencyKey(): string | undefined {
    return this.#idempotencyKey;
  }

  get dataAt(): number {
    return this.#dataAt;
  }

  async result(options: WaitOptions = {}): Promise<TryOnResult> {
    const notify = notifier(this.#config, options.onUpdate);
    return this.within(options, (deadline) => this.finish(deadline, notify), waitOptionNames);
  }

  async *updates(options: CallOptions = {}): AsyncGenerator<JobData, void, undefined> {
    const { clock, timeout } = this.#config;
    const endsAt = clock.now() + milliseconds(options.timeout ?? timeout, "timeout");
    const wait = this.#startWait();
    if (!this.#unseen) yield this.#data;
    while (!this.#hasEnded()) {
      // One deadline per poll: a loop that stops in between keeps no timer and no listener.
      const left = { ...options, timeout: Math.max(1, endsAt - clock.now()) };
      await this.within(left, (deadline) => this.#poll(wait, deadline));
      yield this.#data;
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<JobData, void, undefined> {
    return this.updates();
  }

  toJSON(): SavedJob {
    const { id, idempotencyKey } = this;
    const { result_url: _signed, ...data } = this.#data;
    return { id, idempotencyKey, data };
  }

  /** @internal Waits for the end of the job and returns the result. Throws `job_failed` and `wait_timed_out`. */
  async finish(deadline: Deadline, notify: Notify): Promise<TryOnResult> {
    const timeline = this.#timeline;
    const update = (phase: "waiting" | "succeeded" | "failed"): void => {
      const at = deadline.clock.now();
      if (timeline.at(-1)?.phase !== phase) timeline.push({ phase, at });
      notify({ phase, job: this });
    };
    const wait = this.#startWait();
    while (!this.#hasEnded()) {
      deadline.throwIfAborted();
      if (!this.#unseen) update("waiting");
      await this.#poll(wait, deadline);
    }
    const attempts = this.#attempts;
    const { jobPoller, api } = this.#currentContext;
    // A retried submission may have ended before, and a second wait for the same job says nothing.
    if (wait.polls === 0 && attempts.length === 1 && attempts[0] && timeline.length === 1) {
      jobPoller.runTimes.learn(wait.kinds, attempts[0].duration);
    }
    if (this.status === "failed") {
      update("failed");
      throw new JobFailedError(this, { attempts });
    }
    update("succeeded");
    return {
      job: this,
      image: new JobImage(this, api.http),
      receipt: {
        jobId: this.id,
        requestId: this.#origin.requestId,
        idempotencyKey: this.#idempotencyKey,
        credits: finite(this.#data.cost_credits),
        balance: finite(this.#balance),
        attempts,
        timeline,
      },
    };
  }

  /** @internal Uses the context of a call for a saved job. */
  useContext(context: ClientContext): void {
    this.#context ??= context;
  }

  /** @internal Runs work for this job within the deadline of a call. */
  within<Result>(
    options: CallOptions,
    work: (deadline: Deadline) => Promise<Result>,
    names?: Readonly<Record<string, true>>,
  ): Promise<Result> {
    const config = this.#config;
    if (this.#context) return within(config, options, config.timeout, work, names);
    const withContext = (context: ClientContext, deadline: Deadline): Promise<Result> => {
      this.#context = context;
      return work(deadline);
    };
    return this.#contexts.within(options, undefined, withContext, names);
  }

  /** @internal Polls the job once. */
  async refresh(deadline: Deadline): Promise<void> {
    this.#update((await this.#currentContext.api.getJob(this.id, { deadline })).data);
  }

  get #config(): Config {
    return this.#context?.config ?? this.#contexts.config;
  }

  get #currentContext(): ClientContext {
    if (this.#context) return this.#context;
    throw new Error("A saved job gets its context from its first call.");
  }

  #hasEnded(): boolean {
    return !this.#unseen && isFinal(this.status);
  }

  #startWait(): PendingWait {
    const { id } = this;
    const { test_mode: isTest, cost_credits: cost } = this.#data;
    const unseen = this.#unseen;
    const knownSince = unseen ? this.#config.clock.now() : this.#knownAt;
    const sentAt = this.#attempts[0]?.startedAt ?? knownSince;
    const since = knownSince - sentAt > longSubmission ? sentAt : knownSince;
    const kinds = [isTest && testKind, this.#origin.size, cost].filter(Boolean).map(String);
    return { id, unseen, since, knownSince, kinds, polls: 0 };
  }

  /** Waits for the next poll. */
  async #poll(wait: PendingWait, deadline: Deadline): Promise<void> {
    try {
      this.#update(await this.#currentContext.jobPoller.next(wait, deadline));
    } catch (error) {
      deadline.throwIfAborted();
      if (deadline.passed) throw new WaitTimeoutError(this, { cause: wait.failure });
      // The job runs on and may be paid for.
      Reflect.set(Object(error), "job", this);
      throw error;
    }
  }

  /** Merges the data of a response. */
  #update(data: JobData): void {
    const { config, spendTracker } = this.#currentContext;
    this.#merge(data);
    this.#dataAt = config.clock.now();
    this.#unseen = false;
    this.#balance = data.credits_remaining ?? this.#balance;
    spendTracker.recordJob(data);
  }

  /** Keeps fields that a response leaves out. The first response replaces saved data as a whole. */
  #merge(data: JobData): void {
    const { job, idempotencyKey } = takeKeyFromMetadata(data);
    this.#idempotencyKey ??= idempotencyKey;
    const merged = { ...(!this.#unseen && this.#data), ...job };
    // Errors carry the job into logs, and services repeat what they were sent.
    for (const name of ["error_code", "error_message", "message"] as const) {
      if (job[name]) merged[name] = this.#config.redact(job[name]);
    }
    this.#data = merged;
  }
}

/** Returns the number, or undefined if the service sent none. */
function finite(value: number | null | undefined): number | undefined {
  return Number.isFinite(value) ? (value ?? undefined) : undefined;
}
