import type { Attempt } from "../types/attempt.ts";
import type { CallOptions } from "../types/call-options.ts";
import type {
  Job,
  JobData,
  OpenJobStatus,
  PollOptions,
  SavedJob,
  TimelineEntry,
  TryOnResult,
  Update,
  WaitOptions,
} from "../types/job.ts";
import { isJobId } from "../api/api.ts";
import { serviceTime } from "../api/service-time.ts";
import { ageSince } from "../config/clock.ts";
import { milliseconds, readPollInterval, type Config } from "../config/resolve-config.ts";
import { ConnectionError, JobFailedError, WaitTimeoutError } from "../errors/request-errors.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { isBranded } from "../errors/tryon-error.ts";
import { within, type Deadline } from "../http/deadline.ts";
import { inspect, JobImage, type ResultSource } from "../images/job-image.ts";
import { isOther, type JobContext, type JobContexts } from "./client-context.ts";
import { takeKeyFromMetadata } from "./parse-input.ts";
import { testKind } from "./poll-schedule.ts";
import { pollOptionNames, waitOptionNames } from "./run-options.ts";

interface Origin {
  /** Context of the key that the job belongs to. Undefined if the data was saved, or is only an id. */
  readonly context?: JobContext | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Fingerprint of the key that the job belongs to, if it was saved with one. */
  readonly fingerprint?: string | undefined;
  readonly attempts: readonly Attempt[];
  readonly timeline: TimelineEntry[];
  readonly requestId?: string | undefined;
  /** Kind of the job for `PollSchedule`: its `output_size`, or empty if this client did not submit the job. */
  readonly kind: string;
  readonly trustsEnd?: boolean;
}

export class JobRecord implements Job, ResultSource {
  // Own and enumerable, so that two jobs are not equal for `toEqual` of test runners.
  declare readonly id: string;
  readonly #contexts: JobContexts;
  readonly #origin: Origin;
  #context: JobContext | undefined;
  #idempotencyKey: string | undefined;
  #data: JobData;
  #dataAge = () => Infinity;
  #isSaved: boolean;
  #startedAt: number | undefined;

  /** @internal Creates a job from data of the service, or from saved data if `origin` has no context. */
  constructor(contexts: JobContexts, data: JobData, origin: Partial<Origin>) {
    const { context, trustsEnd, idempotencyKey } = origin;
    this.id = data.job_id;
    this.#contexts = contexts;
    this.#origin = { attempts: [], timeline: [], kind: "", ...origin };
    this.#context = context;
    this.#idempotencyKey = idempotencyKey;
    this.#data = data;
    this.#isSaved = !context && !(trustsEnd && isFinal(data.status));
    if (context) this.#update(data, context);
    else this.#merge(data);
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

  get dataAge(): number {
    return this.#dataAge();
  }

  async result(options: WaitOptions = {}): Promise<TryOnResult> {
    const notify = notifier(this.#config, options.onUpdate);
    const interval = readPollInterval(options, this.#config);
    const finish = (deadline: Deadline) => this.finish(deadline, interval, notify);
    return this.within(options, finish, waitOptionNames);
  }

  async *updates(options: PollOptions = {}): AsyncGenerator<JobData, void, undefined> {
    const { clock, timeout } = this.#config;
    const interval = readPollInterval(options, this.#config);
    const endsAt = clock.monotonic() + milliseconds(options.timeout ?? timeout, "timeout");
    if (!this.#isSaved) yield this.#data;
    while (!this.#hasEnded()) {
      // One deadline per poll: a loop that stops in between keeps no timer and no listener.
      const left = { ...options, timeout: Math.max(1, endsAt - clock.monotonic()) };
      await this.within(left, (deadline) => this.#poll(deadline, interval), pollOptionNames);
      yield this.#data;
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<JobData, void, undefined> {
    return this.updates();
  }

  toJSON(): SavedJob {
    const { id, idempotencyKey } = this;
    const { result_url: _signed, ...data } = this.#data;
    const apiKeyFingerprint = this.#context?.fingerprint ?? this.#origin.fingerprint;
    return { version: 1, id, idempotencyKey, apiKeyFingerprint, data };
  }

  toString(): string {
    const { job_id, status, error_message: reason, cost_credits: cost } = this.#data;
    const state = status === "failed" && reason ? `failed: ${reason}` : status;
    return `Job ${job_id} (${state}${Number.isFinite(cost) ? `, ${cost} credits` : ""})`;
  }

  [inspect](): string {
    return this.toString();
  }

  /**
   * @internal Waits for the end of the job and returns the result. Throws `job_failed` and `wait_timed_out`. A saved job gets
   * the context of the call.
   */
  async finish(
    deadline: Deadline,
    interval: number | undefined,
    notify: Notify = () => undefined,
    context?: JobContext,
  ): Promise<TryOnResult> {
    if (context && !isOther(context, this.#origin.fingerprint)) this.#context ??= context;
    // A job that has ended needs its key only for a new URL of its image.
    const { http } = (
      await (this.#context || !this.#hasEnded() ? this : this.#contexts).acquire(deadline)
    ).api;
    const { attempts, requestId, timeline } = this.#origin;
    const update = (phase: "waiting" | "succeeded" | "failed"): void => {
      const at = deadline.clock.now();
      if (timeline.at(-1)?.phase !== phase) {
        timeline.push({ phase, at });
        if (phase !== "waiting") this.#config.log("info", this.toString());
      }
      notify({ phase, job: this });
    };
    while (!this.#hasEnded()) {
      if (!this.#isSaved) update("waiting");
      await this.#poll(deadline, interval);
    }
    if (this.status === "failed") {
      update("failed");
      throw new JobFailedError(this, { attempts });
    }
    if (!isSucceeded(this.#data)) {
      const problem = `Job ${this.id} ended with the unknown status ${JSON.stringify(this.#config.redact(this.status))}.`;
      const hint = "Update @tryon/client, or ask the provider.";
      throw new ConnectionError("unexpected_response", problem, { job: this, attempts, hint });
    }
    update("succeeded");
    return {
      job: this,
      image: new JobImage(this, http, this.#contexts.parts.images),
      receipt: {
        jobId: this.id,
        requestId,
        idempotencyKey: this.#idempotencyKey,
        credits: this.#data.cost_credits ?? undefined,
        balance: this.#data.credits_remaining ?? undefined,
        attempts,
        timeline,
      },
    };
  }

  /** @internal Runs work for this job within the deadline of a call. */
  within<Result>(
    options: CallOptions,
    work: (deadline: Deadline) => Promise<Result>,
    names?: Readonly<Record<string, true>>,
  ): Promise<Result> {
    if (this.#context) return within(this.#config, options, undefined, work, names);
    const withKey = (context: JobContext, deadline: Deadline): Promise<Result> => {
      if (!isOther(context, this.#origin.fingerprint)) this.#context = context;
      return work(deadline);
    };
    return this.#contexts.within(options, undefined, withKey, names);
  }

  /** @internal Polls the job once. Returns the time of the service, or NaN if its response has none. */
  async refresh(deadline: Deadline): Promise<number> {
    const context = await this.acquire(deadline);
    const { data, response } = await context.api.getJob(this.id, { deadline });
    this.#update(data, context);
    return Date.parse(response.headers.get("date") ?? "");
  }

  get #config(): Config {
    return this.#context?.config ?? this.#contexts.config;
  }

  /** @internal Returns the context of the job. A saved job keeps that of its first call. */
  async acquire(deadline: Deadline): Promise<JobContext> {
    try {
      return (this.#context ??= await this.#contexts.acquireFor(
        this.#origin.fingerprint,
        deadline,
      ));
    } catch (error) {
      // The job runs on and may be paid for.
      if (isBranded(error)) Reflect.set(error, "job", this);
      throw error;
    }
  }

  #hasEnded(): boolean {
    // A later version of the service may have other statuses.
    const isOver = this.#data.completed_at && !/^(queued|running)$/.test(this.status);
    return !this.#isSaved && (isFinal(this.status) || Boolean(isOver));
  }

  async #poll(deadline: Deadline, pollInterval: number | undefined): Promise<void> {
    const { attempts, kind: known } = this.#origin;
    const { test_mode: isTest, created_at } = this.#data;
    if (!this.#isSaved) {
      const { clock } = deadline;
      const now = clock.now();
      const startedAt = attempts[0]?.startedAt ?? (serviceTime(created_at) || now);
      this.#startedAt ??= clock.monotonic() - Math.max(0, now - startedAt);
    }
    const kind = isTest ? testKind : known;
    const wait = { id: this.id, kind, startedAt: this.#startedAt, pollInterval };
    const context = await this.acquire(deadline);
    try {
      this.#update(await context.jobPoller.next(wait, deadline), context);
    } catch (error) {
      deadline.throwIfAborted();
      if (deadline.passed) throw new WaitTimeoutError(this, deadline.timeout, { cause: error });
      // The job runs on and may be paid for.
      Reflect.set(Object(error), "job", this);
      throw error;
    }
  }

  #update(data: JobData, { config, spendTracker }: JobContext): void {
    this.#merge(data);
    this.#dataAge = ageSince(config.clock);
    this.#isSaved = false;
    spendTracker?.recordJob(data);
  }

  /** Keeps fields that a response leaves out. The first response replaces saved data as a whole. */
  #merge(data: JobData): void {
    const { job, idempotencyKey } = takeKeyFromMetadata(data);
    this.#idempotencyKey ??= idempotencyKey;
    const merged = { ...(!this.#isSaved && this.#data), ...job };
    // A running job can state a lower cost than its end.
    if (isFinal(job.status) && !isFinal(this.#data.status)) merged.cost_credits = job.cost_credits;
    // Errors carry the job into logs, and services repeat what they were sent.
    for (const name of ["error_code", "error_message", "message"] as const) {
      if (job[name]) merged[name] = this.#config.redact(job[name]);
    }
    this.#data = merged;
  }
}

/**
 * Creates a job from an id or from its parsed JSON.
 *
 * @param trustsEnd - If true, the end of a job needs no confirmation by the service.
 */
export function restoreJob(
  contexts: JobContexts,
  saved: string | SavedJob,
  field = "id",
  trustsEnd = false,
): JobRecord {
  const {
    version = 1,
    id,
    idempotencyKey,
    apiKeyFingerprint: fingerprint,
    data,
  } = typeof saved === "string" ? { id: saved } : (Object(saved) as SavedJob);
  checkId(id, field);
  if (version > 1) {
    throw new InputError(field, "was saved by a newer release", {
      hint: "Update @tryon/client.",
    });
  }
  const isKnown = data?.job_id === id && typeof data.status === "string";
  const { result_url: _signed, ...known } = isKnown ? data : { job_id: id, status: "queued" };
  return new JobRecord(contexts, known, { idempotencyKey, fingerprint, trustsEnd });
}

export function checkId(id: unknown, field = "id"): asserts id is string {
  if (isJobId(id)) return;
  throw new InputError(field, "is not the id of a job", {
    hint: 'It is "job_" and letters and digits.',
  });
}

export type Notify = (update: Update) => void;

/** Wraps a callback. Its errors do not end the call, and the first one goes to the logger. */
export function notifier<Value = Update>(
  config: Config,
  callback: ((value: Value) => unknown) | undefined,
  name = "onUpdate",
): (value: Value) => void {
  let threw = false;
  return (value) => {
    new Promise((resolve) => resolve(callback?.(value))).catch((error: unknown) => {
      if (!threw) config.log("warn", `${name} threw, which was ignored.`, error);
      threw = true;
    });
  };
}

/**
 * Returns true if a job has succeeded.
 *
 * @example
 * import { isSucceeded } from "@tryon/client";
 *
 * if (isSucceeded(job.data)) console.log(job.data.result_bytes);
 */
export function isSucceeded(data: JobData): data is JobData & { readonly status: "succeeded" } {
  return data.status === "succeeded";
}

/**
 * Returns true if a job has failed.
 *
 * @example
 * import { isFailed } from "@tryon/client";
 *
 * if (isFailed(job.data)) console.log(job.data.error_message);
 */
export function isFailed(data: JobData): data is JobData & { readonly status: "failed" } {
  return data.status === "failed";
}

/** Returns true if a job has ended. With any other status, also an unknown one, it may still change. */
function isFinal(status: OpenJobStatus): status is "succeeded" | "failed" {
  return status === "succeeded" || status === "failed";
}

/** Maximum difference between the clocks of client and service, in milliseconds. */
export const maxClockSkew = 3_600_000;
