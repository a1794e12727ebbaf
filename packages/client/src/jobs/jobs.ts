import { InputError } from "../errors/input-error.ts";
import { defaults, type CallOptions } from "../options.ts";
import { isJobId } from "../transport/service.ts";
import { call, type Call } from "../transport/with-response.ts";
import type { Job, SavedJob } from "./job.ts";
import { JobLife, type Parts } from "./job-life.ts";
import { JobList, type ListOptions } from "./list.ts";

/** The jobs that a key has. */
export class Jobs {
  readonly #parts: Parts;

  /** @internal It is `tryon.jobs`. */
  constructor(parts: Parts) {
    this.#parts = parts;
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
    const { settings, service } = this.#parts;
    return call(settings, options, defaults.callTimeout, async (deadline) => {
      checkId(id);
      const data = await service.job(id, { deadline });
      return new JobLife(this.#parts, data).job;
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
    return new JobList(this.#parts, options);
  }

  /**
   * Takes up a job that was submitted before, here or in another program, without a request.
   *
   * @param saved - Its id, or what `JSON.stringify(job)` wrote, parsed.
   * @throws `invalid_input` when it is neither.
   * @example
   * const job = tryon.jobs.resume(await database.read("job"));
   * const result = await job.result();
   */
  resume(saved: string | SavedJob): Job {
    const { id, idempotencyKey, data } =
      typeof saved === "string" ? { id: saved } : (Object(saved) as SavedJob);
    checkId(id);
    const known = data?.job_id === id && typeof data.status === "string" ? data : undefined;
    return new JobLife(this.#parts, known ?? { job_id: id, status: "queued" }, {
      idempotencyKey,
      unseen: true,
    }).job;
  }
}

function checkId(id: unknown): asserts id is string {
  if (isJobId(id)) return;
  throw new InputError("id", "is not the id of a job", {
    hint: 'It is "job_" and letters and digits.',
  });
}
