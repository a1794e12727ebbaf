import { listJobs } from "../api/account-requests.ts";
import type { ReadListed } from "./job-poller.ts";

/** Minimum number of missing jobs per page read for which another page is cheaper than polls by id. */
const minMissingPerPage = 4;

export const readListed: ReadListed = async (
  api,
  jobs,
  { deadline, limit, schedule, deliver, isOpen, readDelay },
) => {
  let missing = jobs;
  let cursor: string | undefined;
  let pages = 0;
  do {
    if (pages > 0) await deadline.sleep(await readDelay());
    pages += 1;
    schedule.countPoll();
    const { data } = await listJobs(api, { limit, cursor }, { deadline, isPoll: true });
    deliver(data.jobs);
    missing = missing.filter(isOpen);
    cursor = data.next_cursor ?? undefined;
  } while (cursor && missing.length >= minMissingPerPage * pages);
  let due = deadline.clock.monotonic();
  for (const job of missing) {
    job.byId = true;
    job.due = due;
    // Other jobs are polled in between.
    due += schedule.interval();
  }
};
