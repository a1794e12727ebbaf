import type { Job } from "../types/job.ts";
import type { Part } from "../types/part.ts";
import { usePart } from "../errors/use-part.ts";
import type { Call } from "../api/api.ts";
import { callOptionNames, type Deadline } from "../http/deadline.ts";
import type { ClientContext, ClientContexts } from "./client-context.ts";
import type { JobPage, ListOptions } from "./list-pages.ts";
import type * as listPart from "./list-pages.ts";

type ListPart = typeof listPart;

const listOptionNames: Readonly<Record<keyof ListOptions, true>> = {
  ...callOptionNames,
  status_filter: true,
  limit: true,
  cursor: true,
};

/** Jobs of an API key, newest first. The loop fetches each page when it is needed. */
export class JobList implements AsyncIterable<Job> {
  readonly #contexts: ClientContexts;
  readonly #load: Part<ListPart>;
  readonly #options: ListOptions;

  /** @internal Lists come from `jobs.list`. */
  constructor(contexts: ClientContexts, load: Part<ListPart>, options: ListOptions) {
    this.#contexts = contexts;
    this.#load = load;
    this.#options = options;
  }

  /**
   * Returns a page. It can have fewer jobs than `limit`, or none, without being the last.
   *
   * @param cursor - `nextCursor` of the previous page. @default the start of the list
   */
  page(cursor: string | undefined = this.#options.cursor): Call<JobPage> {
    const options = { ...this.#options, cursor };
    const work = async (context: ClientContext, deadline: Deadline) =>
      (await usePart(this.#load)).readPage(this.#contexts, options, context, deadline);
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
    return this.#iterate();
  }

  async *#iterate(): AsyncGenerator<Job, void, undefined> {
    const { jobsOfPages } = await usePart(this.#load);
    yield* jobsOfPages((cursor) => this.page(cursor), this.#options.cursor);
  }
}
