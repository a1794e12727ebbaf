import { ConnectionError } from "../errors/connection-error.ts";
import type { JobStatus } from "../generated/openapi.ts";
import { defaults, type CallOptions } from "../config/options.ts";
import { call, type Call } from "../api/call.ts";
import type { Job } from "./job.ts";
import type { JobContext } from "./job-context.ts";
import { JobRecord } from "./job-record.ts";

/** Which jobs to list. `timeout` holds for each page. */
export interface ListOptions extends CallOptions {
  /** Only jobs in this state. */
  readonly status_filter?: JobStatus | undefined;
  /** How many jobs a request asks for, not how many there are in all. @default the service's, 20 */
  readonly limit?: number | undefined;
  /** Where to begin: the `nextCursor` of a page. @default the newest job */
  readonly cursor?: string | undefined;
}

/** Some of the jobs of a key, newest first. */
export interface JobPage {
  readonly jobs: readonly Job[];
  /** Where the next page begins; null on the last. */
  readonly nextCursor: string | null;
}

/** The jobs of a key, newest first, fetched a page at a time as the loop goes on. */
export class JobList implements AsyncIterable<Job> {
  readonly #context: () => JobContext;
  readonly #options: ListOptions;

  /** @internal Lists come from `jobs.list`. */
  constructor(context: () => JobContext, options: ListOptions) {
    this.#context = context;
    this.#options = options;
  }

  /**
   * One page. It can hold fewer jobs than asked for, or none, and not be the last.
   *
   * @param cursor - The `nextCursor` of the page before. @default the beginning of the list
   */
  page(cursor: string | undefined = this.#options.cursor): Call<JobPage> {
    const { status_filter, limit } = this.#options;
    const config = () => this.#context().config;
    const query = {
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { cursor }),
      // The service's document gives the filter two names; one that is not honoured is ignored.
      ...(status_filter === undefined ? {} : { status_filter, status: status_filter }),
    };
    return call(config, this.#options, defaults.callTimeout, async (deadline) => {
      const { data, response } = await this.#context().api.listJobs(query, { deadline });
      const page = {
        jobs: data.jobs
          .filter(({ status }) => status_filter === undefined || status === status_filter)
          .map((job) => new JobRecord(this.#context, job).job),
        nextCursor: data.next_cursor ?? null,
      };
      return { data: page, response };
    });
  }

  /**
   * All jobs as an array.
   *
   * @param options.limit - How many at most. @default all
   */
  async toArray(options: { readonly limit?: number | undefined } = {}): Promise<Job[]> {
    const { limit = Number.POSITIVE_INFINITY } = options;
    const jobs: Job[] = [];
    if (limit > 0) {
      for await (const job of this) if (jobs.push(job) >= limit) break;
    }
    return jobs;
  }

  /** One job after another, over all pages; a page is asked for when it is needed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Job, void, undefined> {
    const seen = new Set([this.#options.cursor]);
    for (let cursor = this.#options.cursor; ;) {
      const { jobs, nextCursor } = await this.page(cursor);
      yield* jobs;
      if (nextCursor === null) return;
      cursor = nextCursor;
      if (seen.has(cursor)) {
        throw new ConnectionError("unexpected_response", "The list repeats a next_cursor.", {
          hint: "It would never end: report it to the service.",
        });
      }
      seen.add(cursor);
    }
  }
}
