import { listJobs } from "../api/account-requests.ts";
import type { ReadListed } from "./job-poller.ts";

/** Minimum number of missing jobs per page read for which another page is cheaper than polls by id. */
const minMissingPerPage = 4;

export const readListed: ReadListed = async (
  api,
  jobs,
  { deadline, limit, deliver, isOpen, beforePage },
) => {
  let missing = jobs;
  let cursor: string | undefined;
  let pages = 0;
  do {
    await beforePage(pages === 0);
    pages += 1;
    const { data } = await listJobs(api, { limit, cursor }, { deadline, isPoll: true });
    deliver(data.jobs);
    missing = missing.filter(isOpen);
    cursor = data.next_cursor ?? undefined;
  } while (cursor && missing.length >= minMissingPerPage * pages);
  return missing;
};
