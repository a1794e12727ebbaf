import type { Api } from "../api/api.ts";
import { ConnectionError } from "../errors/request-errors.ts";
import { ResultError } from "../errors/job-errors.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import type { Deadline } from "../http/deadline.ts";
import type { HttpRequest } from "../http/http-request.ts";
import { readChunks } from "../http/response.ts";
import { responseError } from "../http/response-error.ts";
import { sendWithRetries } from "../http/send-with-retries.ts";
import type { CallOptions } from "../types/call-options.ts";
import type { Job, JobData } from "../types/job.ts";

/** Job whose image is downloaded. */
export interface ResultSource {
  readonly id: string;
  /** Public job, for errors. */
  readonly job: Job;
  readonly context: { readonly api: Api };
  /** Current data, and its time in milliseconds since 1970. */
  readonly data: Pick<JobData, "result_url" | "result_bytes">;
  readonly dataAt: number;
  /** Runs work within the deadline of a call. */
  within<Result>(
    options: CallOptions,
    work: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result>;
  /** Polls the job once. */
  refresh(deadline: Deadline): Promise<void>;
}

/** Age from which the client replaces a signed URL, in milliseconds. It leaves the caller one of the 24 hours of validity. */
const maxUrlAge = 23 * 3_600_000;

/** Statuses of a store for an expired URL or a deleted image. */
const refusals = new Set([400, 403, 404, 410]);

/** Chunks of an image. */
export type Chunks = AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;

/**
 * Downloads the image of a job and returns the result of `read`. Replaces a refused URL once. Sends neither the key nor
 * another header of the client: the URL gives access, and stores reject further credentials.
 *
 * @param open - If true, `read` returns before it has read the chunks, and closes the deadline of the attempt at their end.
 */
export async function download<Content>(
  source: ResultSource,
  deadline: Deadline,
  read: (chunks: Chunks, attempt: Deadline) => Promise<Content>,
  open = false,
): Promise<Content> {
  const { http } = source.context.api;
  const attemptLog = new AttemptLog();
  const { id, job } = source;
  const call = { name: `GET of the image of ${id}`, deadline, attemptLog, job };
  const request: Omit<HttpRequest, "url"> = {
    method: "GET",
    headers: {},
    timeout: http.config.attemptTimeout,
    cacheable: true,
    read: async (response, attempt) => {
      const { status, headers } = response;
      const content = await read(imageChunks(response, attempt, source), attempt);
      return { status, headers, response, text: "", content, open };
    },
  };
  for (let isNew = false; ; isNew = true) {
    const url = await signedUrl(source, deadline, isNew);
    const outcome = await sendWithRetries(http, { ...request, url }, call);
    const { status = 0, response, content } = outcome.response ?? {};
    // `read` has read every response that is ok.
    if (response?.ok && content !== undefined) return content as Content;
    if (!refusals.has(status)) throw responseError(outcome, call, http.config);
    if (isNew) {
      const code = status === 404 || status === 410 ? "result_purged" : "result_expired";
      throw new ResultError(code, job, { status, attempts: attemptLog.attempts });
    }
  }
}

/** Yields the chunks of an image. Throws as soon as they exceed a limit, which ends the transfer. */
async function* imageChunks(
  response: Response,
  attempt: Deadline,
  { id, job, data, context }: ResultSource,
): Chunks {
  const { maxResultBytes } = context.api.http.config;
  const expected = data.result_bytes || Number.POSITIVE_INFINITY;
  const [name, max, hint] =
    expected <= maxResultBytes
      ? ["its result_bytes", expected, "Ask the provider."]
      : ["maxResultBytes", maxResultBytes, "Raise maxResultBytes of the client to allow it."];
  let size = 0;
  for await (const chunk of readChunks(response, attempt)) {
    size += chunk.length;
    if (size > max) {
      const problem = `The image of job ${id} exceeds ${name} (${max} bytes).`;
      throw new ConnectionError("unexpected_response", problem, { hint, job });
    }
    yield chunk;
  }
  if (size < expected && data.result_bytes) {
    throw new Error(`The image ended after ${size} of ${expected} bytes.`);
  }
}

/** Returns the signed URL of the image of a job that succeeded. Polls the job for a new one if it is old. */
export async function signedUrl(
  source: ResultSource,
  deadline: Deadline,
  isNew = false,
): Promise<string> {
  const age = deadline.clock.now() - source.dataAt;
  if (isNew || !source.data.result_url || age >= maxUrlAge) await source.refresh(deadline);
  const { id, job, data } = source;
  const url = data.result_url;
  if (!url) throw new ResultError("result_purged", job);
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  const problem = `result_url of job ${id} is not an http or https URL.`;
  throw new ConnectionError("unexpected_response", problem, { hint: "Ask the provider.", job });
}
