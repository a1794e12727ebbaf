import type { CallOptions } from "../types/call-options.ts";
import type { Job, SavedJob } from "../types/job.ts";
import type { KeySearch } from "../types/key-search.ts";
import type { Part } from "../types/part.ts";
import { usePart } from "../errors/use-part.ts";
import type { Call } from "../api/api.ts";
import type { ClientContexts } from "./client-context.ts";
import { JobList } from "./job-list.ts";
import type { FindOptions, KeyFinder } from "./job-lookup.ts";
import type * as lookup from "./job-lookup.ts";
import type { ListOptions } from "./list-pages.ts";
import type * as listPages from "./list-pages.ts";
import { checkId, JobRecord, restoreJob } from "./job-record.ts";
import type { WaitAllOptions, WaitOutcome } from "./wait-for-all.ts";
import type * as waits from "./wait-for-all.ts";

type JobsPart = typeof lookup & typeof listPages & typeof waits;

/** Jobs of an API key. */
export class Jobs {
  readonly #contexts: ClientContexts;
  readonly #load: Part<JobsPart>;

  /** @internal It is `tryon.jobs`. */
  constructor(contexts: ClientContexts, load: Part<JobsPart>) {
    this.#contexts = contexts;
    this.#load = load;
  }

  /**
   * Returns a job by its id.
   *
   * @throws `not_found` if the key has no such job. The service may not show a job for some seconds after its submission: use
   * `resume` then, whose waits allow for that.
   * @example
   * const job = await tryon.jobs.get("job_4fK9sQ2mZx7LbT1cVw8RnE3y");
   * job.status; // "succeeded"
   */
  get(id: string, options: CallOptions = {}): Call<Job> {
    return this.#contexts.call(options, async (context, deadline) => {
      checkId(id);
      const { data, response } = await context.api.getJob(id, { deadline });
      return { data: new JobRecord(this.#contexts, data, { context }), response };
    });
  }

  /**
   * Lists the jobs of the key, newest first.
   *
   * @example
   * for await (const job of tryon.jobs.list({ status_filter: "succeeded" })) console.log(job.id);
   *
   * const latest = await tryon.jobs.list().toArray({ limit: 5 });
   */
  list(options: ListOptions = {}): JobList {
    return new JobList(this.#contexts, this.#load, options);
  }

  /**
   * Searches the list for the job of a submission by its idempotency key, which `keyInMetadata` has put into the metadata.
   * Reads back to an hour before `firstAttemptAt`. Submits nothing.
   *
   * Only `absent` proves that no submission under the key has made a job. After `unknown`, a new submission could pay twice.
   *
   * @throws `invalid_input` for an invalid option; the abort reason of `signal`. A failed request leads to `unknown`.
   * @example
   * const firstAttemptAt = "2027-03-01T09:00:00Z"; // stored before the first attempt
   * const search = await tryon.jobs.findByKey("order-17", { firstAttemptAt, keyInMetadata: true });
   * if (search.status === "found") await search.job.result();
   * else if (search.status === "unknown") console.log(search.reason);
   */
  async findByKey(idempotencyKey: string, options: FindOptions = {}): Promise<KeySearch> {
    return (await usePart(this.#load)).findByKey(this.#contexts, idempotencyKey, options);
  }

  /** @internal Creates a lookup whose searches share one iteration over the list. */
  lookup(): KeyFinder {
    let found: KeyFinder | undefined;
    return {
      find: async (...search) => {
        const part = await this.#load();
        if (!part) return { status: "unknown", reason: "list_failed" };
        const shared = (found ??= part.createJobLookup(this.#contexts));
        return shared.find(...search);
      },
    };
  }

  /**
   * Returns a job that this or another process submitted, without a request. `job.data` is the saved data until the first
   * poll. The status, the cost and the image of a result always come from the service. If it was submitted with another API
   * key, its calls reject with `invalid_config` unless `recoveryKeys` has that key.
   *
   * @param saved - Id of the job, or its parsed JSON.
   * @throws `invalid_input` for any other value.
   * @example
   * const job = tryon.jobs.resume(await database.read("job"));
   * const result = await job.result();
   */
  resume(saved: string | SavedJob): Job {
    return this.restore(saved, "id", false);
  }

  /** @internal Works as `resume`. A job that has ended according to the journal of a batch needs no request. */
  restore(saved: string | SavedJob, field = "id", trustsEnd = true): JobRecord {
    return restoreJob(this.#contexts, saved, field, trustsEnd);
  }

  /**
   * Waits for many jobs at once. One poll returns up to 100 of them. A job that fails does not end the other waits.
   *
   * @param jobs - Ids, saved jobs and jobs.
   * @returns the outcome of each job in the given order: its `result`, or the `error` that `job.result()` throws. A job that
   * has not ended in time has `wait_timed_out`.
   * @throws `invalid_input` for any other value, before anything is sent; the abort reason of `signal`
   * @example
   * for (const { id, result, error } of await tryon.jobs.waitAll(ids, { timeout: "5m" })) {
   *   console.log(id, result ? result.job.status : error.message);
   * }
   */
  async waitAll(
    jobs: Iterable<string | SavedJob | Job>,
    options: WaitAllOptions = {},
  ): Promise<WaitOutcome[]> {
    // A list that changes later has no effect.
    const given = [...jobs];
    const { waitForAll } = await usePart(this.#load);
    return waitForAll(this.#contexts, given, options);
  }
}
