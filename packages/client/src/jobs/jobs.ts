import { InputError } from "../errors/input-error.ts";
import { defaults, type CallOptions } from "../config/options.ts";
import { isJobId } from "../api/api.ts";
import { call, type Call } from "../api/call.ts";
import { Job, type SavedJob } from "./job.ts";
import { isFinal } from "./job-data.ts";
import type { JobContext } from "./job-context.ts";
import { JobRecord } from "./job-record.ts";
import { JobList, type ListOptions } from "./list.ts";
import { waitAll, type WaitAllOptions, type WaitOutcome } from "./wait-all.ts";
import { within } from "../http/deadline.ts";

/** The jobs that a key has. */
export class Jobs {
  readonly #context: () => JobContext;

  /** @internal It is `tryon.jobs`. */
  constructor(context: () => JobContext) {
    this.#context = context;
  }

  /**
   * Looks a job up.
   *
   * @throws `not_found` when the key has no such job, also for a moment after it was submitted: where it is not certain
   * that the service shows it yet, use `resume`, whose waits allow for that.
   * @example
   * const job = await tryon.jobs.get("job_4fK9sQ2mZx7LbT1cVw8RnE3y");
   * job.status; // "succeeded"
   */
  get(id: string, options: CallOptions = {}): Call<Job> {
    const config = () => this.#context().config;
    return call(config, options, defaults.callTimeout, async (deadline) => {
      checkId(id);
      const { data, response } = await this.#context().api.getJob(id, { deadline });
      return { data: new JobRecord(this.#context, data).job, response };
    });
  }

  /**
   * The jobs of the key, newest first.
   *
   * @example
   * for await (const job of tryon.jobs.list({ status_filter: "succeeded" })) console.log(job.id);
   *
   * const latest = await tryon.jobs.list().toArray({ limit: 5 });
   */
  list(options: ListOptions = {}): JobList {
    return new JobList(this.#context, options);
  }

  /**
   * Takes up a job that was submitted before, here or in another program, without a request. Saved data is a hint that
   * `job.data` shows until the service has been asked: the status, the cost and the image of a result come from the service.
   *
   * @param saved - Its id, or what `JSON.stringify(job)` wrote, parsed.
   * @throws `invalid_input` when it is neither.
   * @example
   * const job = tryon.jobs.resume(await database.read("job"));
   * const result = await job.result();
   */
  resume(saved: string | SavedJob): Job {
    return this.#take(saved).job;
  }

  /** @internal As `resume`, for a job whose end is in the journal of a batch: its result needs no request. */
  restore(saved: SavedJob): Job {
    const record = this.#take(saved);
    record.unseen = !isFinal(record.data.status);
    return record.job;
  }

  #take(saved: string | SavedJob, field?: string): JobRecord {
    const { id, idempotencyKey, data } =
      typeof saved === "string" ? { id: saved } : (Object(saved) as SavedJob);
    checkId(id, field);
    const isKnown = data?.job_id === id && typeof data.status === "string";
    const { result_url: _signed, ...known } = isKnown ? data : { job_id: id, status: "queued" };
    return new JobRecord(this.#context, known, { idempotencyKey, unseen: true });
  }

  /**
   * Waits for many jobs at once, which takes hardly more requests than waiting for one: one request looks at up to 100.
   * One that fails ends no other.
   *
   * @param jobs - Ids, saved jobs or jobs, mixed. The same job twice is waited for once.
   * @returns how each of them ended, in the order given: its `result`, or the `error` that `job.result()` throws; when the
   * time is up, those that have not ended have `wait_timed_out`
   * @throws `invalid_input` before anything is sent when one of them is none of these; the reason of `signal`
   * @example
   * for (const { id, result, error } of await tryon.jobs.waitAll(ids, { timeout: "5m" })) {
   *   console.log(id, result ? await result.image.url() : error.message);
   * }
   */
  async waitAll(
    jobs: Iterable<string | SavedJob | Job>,
    options: WaitAllOptions = {},
  ): Promise<WaitOutcome[]> {
    const waited = Array.from(jobs, (job, index) =>
      job instanceof Job ? job : this.#take(job, `jobs.${index}`).job,
    );
    const { config } = this.#context();
    return within(config, options, config.timeout, (deadline) =>
      waitAll(config, waited, deadline, options),
    );
  }
}

function checkId(id: unknown, field = "id"): asserts id is string {
  if (isJobId(id)) return;
  throw new InputError(field, "is not the id of a job", {
    hint: 'It is "job_" and letters and digits.',
  });
}
