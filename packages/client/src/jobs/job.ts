import type { CallOptions } from "../config/options.ts";
import type { Deadline } from "../http/deadline.ts";
import { finish } from "./finish.ts";
import type { JobRecord } from "./job-record.ts";
import type { JobData, OpenJobStatus } from "./job-data.ts";
import type { TryOnResult } from "./result.ts";
import { notifier, type OnUpdate } from "./updates.ts";
import { updates } from "./wait.ts";

/** Options of a wait. */
export interface WaitOptions extends CallOptions {
  /** Called on every progress update. Errors it throws are ignored and go to the client's `logger`. */
  readonly onUpdate?: OnUpdate | undefined;
}

/** Job as JSON, for `tryon.jobs.resume` in this or another process. */
export interface SavedJob {
  readonly id: string;
  readonly idempotencyKey?: string | undefined;
  /** Last data of the job, without the signed URL of its image. */
  readonly data?: JobData | undefined;
}

/**
 * Try-on that the service has accepted. It runs with or without a wait, and is billed once. It is not a promise, so async
 * functions can return it.
 */
export class Job {
  readonly #record: JobRecord;

  /** @internal Jobs come from `submit`, `run` and `jobs`. */
  constructor(record: JobRecord) {
    this.#record = record;
  }

  get id(): string {
    return this.#record.id;
  }

  /** Last data of the job, with the field names of the service. Every poll updates it. */
  get data(): JobData {
    return this.#record.data;
  }

  /** `queued`, `running`, `succeeded` or `failed`, as of the last poll. */
  get status(): OpenJobStatus {
    return this.#record.data.status;
  }

  /** Idempotency key, if this client submitted the job or its metadata has the key. */
  get idempotencyKey(): string | undefined {
    return this.#record.idempotencyKey;
  }

  /**
   * Waits for the end of the job and returns the result. May be called repeatedly, also after an error.
   *
   * @throws `job_failed` with the service's reason; `wait_timed_out` when `timeout` is up (the job runs on); whatever stops
   * the client from asking, such as `unauthorized`. The job is on each of them.
   * @example
   * import { writeFile } from "node:fs/promises";
   *
   * const result = await job.result({ timeout: "5m" });
   * await writeFile("out.png", await result.image.bytes());
   */
  async result(options: WaitOptions = {}): Promise<TryOnResult> {
    const record = this.#record;
    return record.within(options, (deadline) =>
      finish(record, deadline, notifier(record.context.config, options.onUpdate)),
    );
  }

  /**
   * Yields the data of the job now, and after each poll until the job has succeeded or failed.
   *
   * @throws as `result`, but not `job_failed`.
   * @example
   * for await (const { status } of job.updates({ timeout: "5m" })) console.log(status);
   */
  async *updates(options: CallOptions = {}): AsyncGenerator<JobData, void, undefined> {
    const record = this.#record;
    yield* updates(record, options, record.context.config.clock.now());
  }

  /** @internal Waits within the deadline of a call that waits for several jobs. */
  finish(deadline: Deadline): Promise<TryOnResult> {
    return finish(this.#record, deadline, () => undefined);
  }

  /** Yields the same as `updates()`, with the client's `timeout`. */
  [Symbol.asyncIterator](): AsyncGenerator<JobData, void, undefined> {
    return this.updates();
  }

  /** Returns the saved job for `tryon.jobs.resume` in this or another process. */
  toJSON(): SavedJob {
    const { id, idempotencyKey } = this;
    const { result_url: _signed, ...data } = this.data;
    return { id, idempotencyKey, data };
  }
}
