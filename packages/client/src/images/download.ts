import { ResultError } from "../errors/result-error.ts";
import type { JobRecord } from "../jobs/job-record.ts";
import type { HttpResponse } from "../http/response.ts";
import { responseError } from "../http/response-error.ts";
import type { Deadline } from "../http/deadline.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import type { HttpRequest } from "../http/http-request.ts";
import { sendWithRetries } from "../http/send-with-retries.ts";
import { freshAddress, signedAddress } from "./signed-address.ts";

/** What a store answers for an address that has expired, or an image that is gone. */
const refusals = new Set([400, 403, 404, 410]);

/**
 * Fetches the image of a job: gives the good answer as `read` made it. A refused address is renewed once. Neither the key
 * nor any header of ours is sent: the address alone gives access, and stores refuse a second proof.
 */
export async function download(
  record: JobRecord,
  deadline: Deadline,
  read: NonNullable<HttpRequest["read"]>,
): Promise<HttpResponse> {
  const { api } = record.context;
  const attemptLog = new AttemptLog();
  const { job } = record;
  const name = `GET of the image of ${record.id}`;
  let url = await signedAddress(record, deadline);
  for (let renewed = false; ; renewed = true) {
    const request = {
      method: "GET",
      url,
      headers: {},
      timeout: api.http.config.attemptTimeout,
      cacheable: true,
      read,
    };
    const call = { name, deadline, attemptLog, job };
    const outcome = await sendWithRetries(api.http, request, call);
    const { response } = outcome;
    const { status = 0, content } = response ?? {};
    if (response && content !== undefined && status < 300) return response;
    if (!refusals.has(status)) {
      throw responseError(outcome, call, api.http.config);
    }
    if (renewed) {
      const code = status === 404 || status === 410 ? "result_purged" : "result_expired";
      throw new ResultError(code, job, { status, attempts: attemptLog.attempts });
    }
    url = await freshAddress(record, deadline);
  }
}
