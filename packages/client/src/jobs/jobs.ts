import type { CallOptions } from "../types/call-options.ts";
import type { Job, SavedJob } from "../types/job.ts";
import type { KeySearch, SoughtKey } from "../types/key-search.ts";
import type { Part } from "../types/part.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { usePart } from "../errors/use-part.ts";
import { readTime } from "../api/service-time.ts";
import { readPollInterval, rejectUnknown } from "../config/resolve-config.ts";
import { isJobId, type Call } from "../api/api.ts";
import { callOptionNames, type Deadline } from "../http/deadline.ts";
import type { ClientContext, ClientContexts } from "./client-context.ts";
import { JobList } from "./job-list.ts";
import type { FindLimits } from "./job-lookup.ts";
import type * as lookup from "./job-lookup.ts";
import type { ListOptions } from "./list-pages.ts";
import type * as listPages from "./list-pages.ts";
import { JobRecord } from "./job-record.ts";
import { pollOptionNames } from "./run-options.ts";
import type { WaitAllOptions, WaitOutcome } from "./wait-for-all.ts";
import type * as waits from "./wait-for-all.ts";

type JobsPart = typeof lookup & typeof listPages & typeof waits;

const waitAllOptionNames: Readonly<Record<keyof WaitAllOptions, true>> = {
  ...pollOptionNames,
  onSettled: true,
};

/** Options of `jobs.findByKey`. `timeout` applies to each page of the list. */
export interface FindOptions extends CallOptions {
  /**
   * Time before the first attempt of the submission: a `Date`, milliseconds since 1970 or ISO 8601. It may be earlier, such
   * as the time at which a queue got the item. Older jobs are not read, except for an hour, since clocks differ.
   *
   * @default none: the whole list is read, and the outcome is never `absent`
   */
  readonly firstAttemptAt?: Date | number | string | undefined;
  /** If true, each attempt had `keyInMetadata`. Otherwise the outcome is never `absent`. @default that of the client */
  readonly keyInMetadata?: boolean | undefined;
  /**
   * Fingerprint of the API key of the submission. Only the list of that key is read, which can be one of `recoveryKeys`.
   *
   * @default none: the lists of the key and of all `recoveryKeys` are read
   */
  readonly apiKeyFingerprint?: string | undefined;
}

const findOptionNames: Readonly<Record<keyof FindOptions, true>> = {
  ...callOptionNames,
  firstAttemptAt: true,
  keyInMetadata: true,
  apiKeyFingerprint: true,
};

/** Searches for jobs by their keys. Submissions must be older than the first search. Rejects with the abort reason only. */
export interface KeyFinder {
  find(sought: SoughtKey, limits?: FindLimits): Promise<KeySearch>;
}

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
    rejectUnknown("findByKey", options, findOptionNames);
    const {
      firstAttemptAt,
      keyInMetadata = this.#contexts.config.keyInMetadata,
      apiKeyFingerprint,
      ...limits
    } = options;
    const sought = {
      idempotencyKey,
      firstAttemptAt: readTime(firstAttemptAt, "firstAttemptAt"),
      hasKeyInMetadata: keyInMetadata === true,
      apiKeyFingerprint,
    };
    return this.lookup().find(sought, limits);
  }

  /** @internal Creates a lookup whose searches share one iteration over the list. */
  lookup(): KeyFinder {
    let found: lookup.JobLookup | undefined;
    return {
      find: async (...search) => {
        const part = await this.#load();
        if (!part) return { status: "unknown", reason: "list_failed" };
        const shared = (found ??= new part.JobLookup(this.#contexts));
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
    return new JobRecord(this.#contexts, known, { idempotencyKey, fingerprint, trustsEnd });
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
    const records = Array.from(jobs, (job, index) =>
      job instanceof JobRecord ? job : this.restore(job, `jobs.${index}`, false),
    );
    const interval = readPollInterval(options, this.#contexts.config);
    const wait = async (context: ClientContext, deadline: Deadline): Promise<WaitOutcome[]> => {
      const { waitForAll } = await usePart(this.#load);
      return waitForAll(records, context, deadline, interval, options.onSettled);
    };
    return this.#contexts.within(options, undefined, wait, waitAllOptionNames);
  }
}

function checkId(id: unknown, field = "id"): asserts id is string {
  if (isJobId(id)) return;
  throw new InputError(field, "is not the id of a job", {
    hint: 'It is "job_" and letters and digits.',
  });
}
