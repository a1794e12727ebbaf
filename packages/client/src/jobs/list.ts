import type { CallOptions } from "../types/call-options.ts";
import type { Job } from "../types/job.ts";
import { ConnectionError } from "../errors/request-errors.ts";
import type { JobStatus } from "../generated/openapi.ts";
import { defaults } from "../config/options.ts";
import { toCall, type Call } from "../api/call.ts";
import type { ClientContexts } from "./client-context.ts";
import { createJob } from "./job-handle.ts";

/** Options of `jobs.list`. `timeout` applies to each page. */
export interface ListOptions extends CallOptions {
  /** Status of the jobs to list. @default any */
  readonly status_filter?: JobStatus | undefined;
  /** Maximum number of jobs per page. @default the service's, 20 */
  readonly limit?: number | undefined;
  /** Start of the list: the `nextCursor` of a page. @default the newest job */
  readonly cursor?: string | undefined;
}

/** Page of jobs, newest first. */
export interface JobPage {
  readonly jobs: readonly Job[];
  /** Cursor of the next page, or null on the last page. */
  readonly nextCursor: string | null;
}

/** Jobs of an API key, newest first. Pages are fetched as the loop goes on. */
export class JobList implements AsyncIterable<Job> {
  readonly #contexts: ClientContexts;
  readonly #options: ListOptions;

  /** @internal Lists come from `jobs.list`. */
  constructor(contexts: ClientContexts, options: ListOptions) {
    this.#contexts = contexts;
    this.#options = options;
  }

  /**
   * Returns a page. It can have fewer jobs than `limit`, or none, without being the last.
   *
   * @param cursor - `nextCursor` of the previous page. @default the start of the list
   */
  page(cursor: string | undefined = this.#options.cursor): Call<JobPage> {
    const { status_filter, limit } = this.#options;
    const query = {
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { cursor }),
      // The service's document gives the filter two names; one that is not honoured is ignored.
      ...(status_filter === undefined ? {} : { status_filter, status: status_filter }),
    };
    return toCall(
      this.#contexts.within(this.#options, defaults.callTimeout, async (context, deadline) => {
        const { data, response } = await context.api.listJobs(query, { deadline });
        const page = {
          jobs: data.jobs
            .filter(({ status }) => status_filter === undefined || status === status_filter)
            .map((job) => createJob(this.#contexts, job, { context }).job),
          nextCursor: data.next_cursor ?? null,
        };
        return { data: page, response };
      }),
    );
  }

  /**
   * Returns the jobs as an array.
   *
   * @param options.limit - Maximum number of jobs. @default all
   */
  async toArray(options: { readonly limit?: number | undefined } = {}): Promise<Job[]> {
    const { limit = Number.POSITIVE_INFINITY } = options;
    const jobs: Job[] = [];
    if (limit > 0) {
      for await (const job of this) if (jobs.push(job) >= limit) break;
    }
    return jobs;
  }

  /** Yields the jobs of all pages, and fetches each page when it is needed. */
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
