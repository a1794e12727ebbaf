import { ResultError } from "../errors/result-error.ts";
import type { JobLife } from "../jobs/job-record.ts";
import type { Answer } from "../http/response.ts";
import { errorOf } from "../http/response-error.ts";
import type { Outgoing } from "../http/attempt.ts";
import type { Deadline } from "../http/deadline.ts";
import { Trail, travel } from "../http/send-with-retries.ts";
import { freshAddress, signedAddress } from "./signed-address.ts";

/** What a store answers for an address that has expired, or an image that is gone. */
const refusals = new Set([400, 403, 404, 410]);

/**
 * Fetches the image of a job: gives the good answer as `read` made it. A refused address is renewed once. Neither the key
 * nor any header of ours is sent: the address alone gives access, and stores refuse a second proof.
 */
export async function download(
  life: JobLife,
  deadline: Deadline,
  read: NonNullable<Outgoing["read"]>,
): Promise<Answer> {
  const settings = life.parts.settings();
  const trail = new Trail();
  const { job } = life;
  const name = `GET of the image of ${life.id}`;
  let url = await signedAddress(life, deadline);
  for (let renewed = false; ; renewed = true) {
    const request = {
      method: "GET",
      url,
      headers: {},
      timeout: settings.attemptTimeout,
      cacheable: true,
      read,
    };
    const outcome = await travel({ name, request, deadline, trail }, settings);
    const { answer } = outcome;
    const { status = 0, content } = answer ?? {};
    if (answer && content !== undefined && status < 300) return answer;
    if (!refusals.has(status)) {
      throw errorOf(outcome, { name, purpose: "read", trail, job }, settings);
    }
    if (renewed) {
      const code = status === 404 || status === 410 ? "result_purged" : "result_expired";
      throw new ResultError(code, job, { status, attempts: trail.attempts });
    }
    url = await freshAddress(life, deadline);
  }
}
