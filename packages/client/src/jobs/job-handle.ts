import type { CallOptions } from "../types/call-options.ts";
import type {
  Job,
  JobData,
  OpenJobStatus,
  SavedJob,
  TryOnResult,
  WaitOptions,
} from "../types/job.ts";
import type { ClientContexts } from "./client-context.ts";
import { waitOptionNames } from "./run-options.ts";
import { finish } from "./finish.ts";
import { JobRecord, type Origin } from "./job-record.ts";
import { notifier } from "./updates.ts";
import { updates } from "./wait.ts";

/** Public side of a job. */
export class JobHandle implements Job {
  readonly #record: JobRecord;

  /** @internal Jobs come from `submit`, `run` and `jobs`. */
  constructor(record: JobRecord) {
    this.#record = record;
  }

  /** Returns the state of a job. */
  static recordOf(job: JobHandle): JobRecord {
    return job.#record;
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
    const notify = notifier(record.config, options.onUpdate);
    return record.within(options, (deadline) => finish(record, deadline, notify), waitOptionNames);
  }

  async *updates(options: CallOptions = {}): AsyncGenerator<JobData, void, undefined> {
    yield* updates(this.#record, options);
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

/** Creates a job from data of the service, or from saved data if `origin` has no context. */
export function createJob(contexts: ClientContexts, data: JobData, origin: Origin): JobRecord {
  return new JobRecord(contexts, data, origin, (record) => new JobHandle(record));
}
