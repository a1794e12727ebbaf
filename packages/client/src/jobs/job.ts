import type { CallOptions } from "../config/options.ts";
import type { Deadline } from "../http/deadline.ts";
import { finish } from "./finish.ts";
import type { JobRecord } from "./job-record.ts";
import type { JobData, OpenJobStatus } from "./job-data.ts";
import type { TryOnResult } from "./result.ts";
import { notifier, type OnUpdate } from "./updates.ts";
import { updates } from "./wait.ts";

/** What a wait takes. */
export interface WaitOptions extends CallOptions {
  /** Is told how the call comes along. What it throws is ignored, and handed to the client's `logger`. */
  readonly onUpdate?: OnUpdate | undefined;
}

/** A job as it is kept between two programs: `tryon.jobs.resume` takes it. */
export interface SavedJob {
  readonly id: string;
  readonly idempotencyKey?: string | undefined;
  /** What was known of the job, without the signed address of its image. */
  readonly data?: JobData | undefined;
}

/**
 * A try-on that the service has taken on. It runs whether somebody waits for it or not, and is billed once. It can be
 * returned from async functions: it is not a promise.
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

  /** What is known of the job so far, as the service names it. Waiting and looking at it bring it up to date. */
  get data(): JobData {
    return this.#record.data;
  }

  /** `queued`, `running`, `succeeded` or `failed`, as last heard. */
  get status(): OpenJobStatus {
    return this.#record.data.status;
  }

  /** The key that it was submitted under, if this client submitted it or the job was marked with it. */
  get idempotencyKey(): string | undefined {
    return this.#record.idempotencyKey;
  }

  /**
   * Waits for the end and gives the result. May be called again, and after it has thrown.
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
   * The job as it is now, and again after each look at it until it has ended. A job that failed ends the loop, too.
   *
   * @throws as `result`, but not `job_failed`.
   * @example
   * for await (const { status } of job.updates({ timeout: "5m" })) console.log(status);
   */
  async *updates(options: CallOptions = {}): AsyncGenerator<JobData, void, undefined> {
    const record = this.#record;
    yield* updates(record, options, record.context.config.clock.now());
  }

  /** @internal Waits under the limits of a call that waits for several. */
  finish(deadline: Deadline): Promise<TryOnResult> {
    return finish(this.#record, deadline, () => undefined);
  }

  /** `updates()` with the client's own time limit. */
  [Symbol.asyncIterator](): AsyncGenerator<JobData, void, undefined> {
    return this.updates();
  }

  /** What `tryon.jobs.resume` needs to take it up again, in this program or another. */
  toJSON(): SavedJob {
    const { id, idempotencyKey } = this;
    const { result_url: _signed, ...data } = this.data;
    return { id, idempotencyKey, data };
  }
}
