import type { Deadline } from "../http/deadline.ts";
import type { CallOptions } from "../types/call-options.ts";
import type {
  Job,
  JobData,
  OpenJobStatus,
  SavedJob,
  TryOnResult,
  WaitOptions,
} from "../types/job.ts";
import { finish } from "./finish.ts";
import type { JobRecord } from "./job-record.ts";
import { notifier } from "./updates.ts";
import { updates } from "./wait.ts";

/** Public side of a job. */
export class JobHandle implements Job {
  readonly #record: JobRecord;

  /** @internal Jobs come from `submit`, `run` and `jobs`. */
  constructor(record: JobRecord) {
    this.#record = record;
  }

  get id(): string {
    return this.#record.id;
  }

  get data(): JobData {
    return this.#record.data;
  }

  get status(): OpenJobStatus {
    return this.#record.data.status;
  }

  get idempotencyKey(): string | undefined {
    return this.#record.idempotencyKey;
  }

  async result(options: WaitOptions = {}): Promise<TryOnResult> {
    const record = this.#record;
    return record.within(options, (deadline) =>
      finish(record, deadline, notifier(record.context.config, options.onUpdate)),
    );
  }

  async *updates(options: CallOptions = {}): AsyncGenerator<JobData, void, undefined> {
    const record = this.#record;
    yield* updates(record, options, record.context.config.clock.now());
  }

  /** @internal Waits within the deadline of a call that waits for several jobs. */
  finish(deadline: Deadline): Promise<TryOnResult> {
    return finish(this.#record, deadline, () => undefined);
  }

  [Symbol.asyncIterator](): AsyncGenerator<JobData, void, undefined> {
    return this.updates();
  }

  toJSON(): SavedJob {
    const { id, idempotencyKey } = this;
    const { result_url: _signed, ...data } = this.data;
    return { id, idempotencyKey, data };
  }
}
