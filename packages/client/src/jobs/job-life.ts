import { JobFailedError, WaitTimeoutError } from "../errors/job-error.ts";
import type { Attempt } from "../errors/tryon-error.ts";
import { ResultImage } from "../images/result-image.ts";
import type { Settings } from "../settings.ts";
import type { Deadline } from "../transport/deadline.ts";
import type { Service } from "../transport/service.ts";
import { Job } from "./job.ts";
import { isFinal, type JobData } from "./job-data.ts";
import { readMark } from "./mark.ts";
import type { Moment, TryOnResult } from "./result.ts";
import type { Notify } from "./updates.ts";
import type { Watch, Watcher } from "./watcher.ts";

/** What jobs need of the client. */
export interface Parts {
  readonly settings: () => Settings;
  readonly service: Service;
  readonly watcher: Watcher;
}

/** Where a job comes from. */
interface Origin {
  readonly idempotencyKey?: string | undefined;
  readonly attempts?: readonly Attempt[];
  readonly timeline?: Moment[];
  /** Whether the data is only an id, and the service has not been asked yet. */
  readonly unseen?: boolean;
}

/** A job as the client knows it; {@link Job} is its face. */
export class JobLife {
  readonly id: string;
  readonly parts: Parts;
  readonly job: Job;
  readonly idempotencyKey: string | undefined;
  readonly #attempts: readonly Attempt[];
  readonly #timeline: Moment[];
  readonly #knownAt: number;
  #unseen: boolean;
  #data: JobData;
  #dataAt: number;
  #balance: number | undefined;

  constructor(parts: Parts, data: JobData, origin: Origin = {}) {
    const { job, mark } = readMark(data);
    this.parts = parts;
    this.id = data.job_id;
    this.idempotencyKey = origin.idempotencyKey ?? mark;
    this.#attempts = origin.attempts ?? [];
    this.#timeline = origin.timeline ?? [];
    this.#unseen = origin.unseen ?? false;
    this.#data = job;
    this.#dataAt = this.#now();
    this.#knownAt = this.#dataAt;
    this.#balance = numberOrNothing(data.credits_remaining);
    this.job = new Job(this);
  }

  get data(): JobData {
    return this.#data;
  }

  /** When the service was last heard of this job, in milliseconds since 1970. */
  get dataAt(): number {
    return this.#dataAt;
  }

  /** Takes what the service says now; what it leaves out stays as it was. */
  learn(data: JobData): void {
    this.#data = { ...this.#data, ...readMark(data).job };
    this.#dataAt = this.#now();
    this.#unseen = false;
    this.#balance = numberOrNothing(data.credits_remaining) ?? this.#balance;
  }

  /** Asks the service once. */
  async refresh(deadline: Deadline): Promise<void> {
    this.learn(await this.parts.service.job(this.id, { deadline }));
  }

  /** Starts a wait. */
  watch(): Watch {
    const since = this.#unseen ? this.#now() : this.#knownAt;
    return { id: this.id, unseen: this.#unseen, since, looks: 0, failure: undefined };
  }

  /** Takes the next look of a wait. */
  async look(watch: Watch, deadline: Deadline): Promise<void> {
    try {
      this.learn(await this.parts.watcher.next(watch, deadline));
    } catch (error) {
      deadline.throwIfAborted();
      if (deadline.passed) throw new WaitTimeoutError(this.job, { cause: watch.failure });
      // The job is there and may be paid for: no error about it may lose it.
      if (Object.isExtensible(error)) {
        const described = { value: this.job, enumerable: true, configurable: true };
        Object.defineProperty(error, "job", described);
      }
      throw error;
    }
  }

  /** Waits for the end and gives the result, or throws how it failed. */
  async finish(deadline: Deadline, notify: Notify): Promise<TryOnResult> {
    const watch = this.watch();
    const { job } = this;
    while (!isFinal(this.#data.status)) {
      deadline.throwIfAborted();
      if (!this.#unseen) this.#tell("waiting", notify);
      await this.look(watch, deadline);
    }
    const { status } = this.#data;
    const phase = status === "succeeded" ? status : "failed";
    this.#tell(phase, notify);
    if (phase === "failed") throw new JobFailedError(job, { attempts: this.#attempts });
    return {
      job,
      image: new ResultImage(this),
      receipt: {
        jobId: this.id,
        idempotencyKey: this.idempotencyKey,
        credits: numberOrNothing(this.#data.cost_credits),
        balance: this.#balance,
        attempts: this.#attempts,
        timeline: this.#timeline,
      },
    };
  }

  #tell(phase: "waiting" | "succeeded" | "failed", notify: Notify): void {
    if (this.#timeline.at(-1)?.phase !== phase) this.#timeline.push({ phase, at: this.#now() });
    notify({ phase, job: this.job });
  }

  #now(): number {
    return this.parts.settings().clock.now();
  }
}

function numberOrNothing(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
