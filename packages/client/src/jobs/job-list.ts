import type { CallOptions } from "../types/call-options.ts";
import type { Job } from "../types/job.ts";
import { ConnectionError } from "../errors/request-errors.ts";
import type { JobStatus } from "@tryon/spec/openapi";
import type { Call } from "../api/api.ts";
import { callOptionNames, type Deadline } from "../http/deadline.ts";
import type { ClientContext, ClientContexts } from "./client-context.ts";
import { JobRecord } from "./job-record.ts";

/** Options of `jobs.list`. `timeout` applies to each page. */
export interface ListOptions extends CallOptions {
  /** Status of the jobs to list. @default any */
  readonly status_filter?: JobStatus | undefined;
  /** Maximum number of jobs per page. @default the service's, 20 */
  readonly limit?: number | undefined;
  /** Start of the list: the `nextCursor` of a page. @default the newest job */
  readonly cursor?: string | undefined;
}

const listOptionNames: Readonly<Record<keyof ListOptions, true>> = {
  ...callOptionNames,
  status_filter: true,
  limit: true,
  cursor: true,
};

/** Page of jobs, newest first. */
export interface JobPage {
  /** Jobs of the page, newest first. Can be empty on any page. */
  readonly jobs: readonly Job[];
  /** Cursor of the next page, or null on the last page. */
  readonly nextCursor: string | null;
}

/** Jobs of an API key, newest first. The loop fetches each page when it is needed. */
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
    // The service's document has two names for the filter. A service ignores the other one.
    const query = { limit, cursor, status_filter, status: status_filter };
    const work = async (context: ClientContext, deadline: Deadline) => {
      const { data, response } = await context.api.listJobs(query, { deadline });
      const jobs = data.jobs
        .filter(({ status }) => status_filter === undefined || status === status_filter)
        .map((job) => new JobRecord(this.#contexts, job, { context }));
      return { data: { jobs, nextCursor: data.next_cursor }, response };
    };
    return this.#contexts.call(this.#options, work, listOptionNames);
  }

  /**
   * Returns the jobs as an array.
   *
   * @param options.limit - Maximum number of jobs. @default all
   */
  async toArray(options: { readonly limit?: number | undefined } = {}): Promise<Job[]> {
    const { limit = Infinity } = options;
    const jobs: Job[] = [];
    if (limit > 0) {
      for await (const job of this) if (jobs.push(job) >= limit) break;
    }
    return jobs;
  }

  /** Yields the jobs of all pages, and fetches each page when it is needed. */
  [Symbol.asyncIterator](): AsyncGenerator<Job, void, undefined> {
    return jobsOfPages((cursor) => this.page(cursor), this.#options.cursor);
  }
}

export async function* jobsOfPages<Item>(
  load: (
    cursor: string | undefined,
  ) => Promise<{ readonly jobs: readonly Item[]; readonly nextCursor?: string | null | undefined }>,
  start?: string,
): AsyncGenerator<Item, void, undefined> {
  const cursors = new Set([start]);
  for (let cursor = start; ;) {
    const { jobs, nextCursor } = await load(cursor);
    yield* jobs;
    if (typeof nextCursor !== "string") return;
    cursor = nextCursor;
    if (cursors.has(cursor)) {
      throw new ConnectionError("unexpected_response", "The list repeats a next_cursor.", {
        hint: "Ask the provider.",
      });
    }
    cursors.add(cursor);
  }
}
