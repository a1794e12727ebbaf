import { ConnectionError } from "../errors/connection-error.ts";
import { ResultError } from "../errors/result-error.ts";
import type { JobRecord } from "../jobs/job-record.ts";
import type { Deadline } from "../http/deadline.ts";

/** Addresses are good for 24 hours; whoever gets one has an hour left to use it. In milliseconds. */
const longestUse = 23 * 3_600_000;

/** The signed address of the image of a job that succeeded; a new one when the known one is old. */
export async function signedAddress(record: JobRecord, deadline: Deadline): Promise<string> {
  const url = record.data.result_url;
  const age = deadline.clock.now() - record.dataAt;
  return url && age < longestUse ? checked(url, record) : freshAddress(record, deadline);
}

/** A new signed address: every look at the job makes one. */
export async function freshAddress(record: JobRecord, deadline: Deadline): Promise<string> {
  await record.refresh(deadline);
  const url = record.data.result_url;
  if (!url) throw new ResultError("result_purged", record.job);
  return checked(url, record);
}

function checked(url: string, record: JobRecord): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  throw new ConnectionError(
    "unexpected_response",
    `result_url of job ${record.id} is no web address.`,
    {
      hint: "Ask the provider.",
      job: record.job,
    },
  );
}
