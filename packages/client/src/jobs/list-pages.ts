import { listJobs } from "../api/account-requests.ts";
import type { Responded } from "../api/api.ts";
import { ConnectionError } from "../errors/request-errors.ts";
import type { Deadline } from "../http/deadline.ts";
import type { CallOptions } from "../types/call-options.ts";
import type { Job } from "../types/job.ts";
import type { JobStatus } from "@tryon/spec/openapi";
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

/** Page of jobs, newest first. */
export interface JobPage {
  /** Jobs of the page, newest first. Can be empty on any page. */
  readonly jobs: readonly Job[];
  /** Cursor of the next page, or null on the last page. */
  readonly nextCursor: string | null;
}

export async function readPage(
  contexts: ClientContexts,
  { status_filter, limit, cursor }: ListOptions,
  context: ClientContext,
  deadline: Deadline,
): Promise<Responded<JobPage>> {
  // The service's document has two names for the filter. A service ignores the other one.
  const query = { limit, cursor, status_filter, status: status_filter };
  const { data, response } = await listJobs(context.api, query, { deadline });
  const jobs = data.jobs
    .filter(({ status }) => status_filter === undefined || status === status_filter)
    .map((job) => new JobRecord(contexts, job, { context }));
  return { data: { jobs, nextCursor: data.next_cursor }, response };
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
