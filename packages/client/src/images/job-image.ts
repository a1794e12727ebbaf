import type { CallOptions } from "../types/call-options.ts";
import type { Job } from "../types/job.ts";
import type { Bytes, ResultImage } from "../types/result-image.ts";
import { check } from "../config/resolve-config.ts";
import { ConnectionError, ResultError } from "../errors/request-errors.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import type { Deadline } from "../http/deadline.ts";
import type { HttpRequest } from "../http/http-request.ts";
import { readChunks } from "../http/fetch-transport.ts";
import { responseError } from "../http/response-error.ts";
import { sendWithRetries, type HttpContext } from "../http/send-with-retries.ts";

/** Job whose image is downloaded. */
export interface ResultSource extends Job {
  /** Time of its data, in milliseconds since 1970. */
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

/** Name of the method that `util.inspect` and `console.log` of Node call. */
export const inspect = Symbol.for("nodejs.util.inspect.custom");

/** Chunks of an image. */
type Chunks = AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;

/** Result image of a job. */
export class JobImage implements ResultImage {
  readonly #job: ResultSource;
  readonly #http: HttpContext;

  constructor(job: ResultSource, http: HttpContext) {
    this.#job = job;
    this.#http = http;
  }

  async bytes(options: CallOptions = {}): Promise<Bytes> {
    return new Uint8Array(await (await this.blob(options)).arrayBuffer());
  }

  async blob(options: CallOptions = {}): Promise<Blob> {
    return this.#download(options, async (chunks) => {
      const parts: Uint8Array<ArrayBuffer>[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      return new Blob(parts, { type: "image/png" });
    });
  }

  async stream(options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#download(options, async (chunks, attempt) => streamOf(chunks, attempt), true);
  }

  async save(path: string, options: CallOptions = {}): Promise<void> {
    const file = this.#http.transport.createFile?.(path);
    check(file, "save() needs Node.", "Use blob().", "unsafe_environment");
    await this.#download(options, (chunks) => file.write(chunks));
    // A retry would not change an error of the file system.
    file.end();
  }

  async url(options: CallOptions = {}): Promise<string> {
    return this.#job.within(options, (deadline) => this.#signedUrl(deadline));
  }

  toString(): string {
    return `Image of ${this.#job.toString()}`;
  }

  [inspect](): string {
    return this.toString();
  }

  /**
   * Downloads the image and returns the result of `read`. Replaces a refused URL once. Sends neither the key nor another
   * header of the client: the URL gives access, and stores reject further credentials.
   *
   * @param open - If true, `read` returns before it has read the chunks, and closes the deadline of the attempt at their end.
   */
  #download<Content>(
    options: CallOptions,
    read: (chunks: Chunks, attempt: Deadline) => Promise<Content>,
    open = false,
  ): Promise<Content> {
    const job = this.#job;
    const { config } = this.#http;
    const request: Omit<HttpRequest, "url"> = {
      method: "GET",
      headers: {},
      timeout: config.attemptTimeout,
      read: async (response, attempt) => {
        const { status, headers } = response;
        const content = await read(this.#chunks(response, attempt), attempt);
        // A file that cannot be opened leaves the body unread. Any other body is locked.
        if (!open) response.body?.cancel().catch(() => undefined);
        return { status, headers, response, text: "", content, open };
      },
    };
    return job.within(options, async (deadline) => {
      const attemptLog = new AttemptLog();
      const call = { name: `GET of the image of ${job.id}`, deadline, attemptLog, job };
      for (let isNew = false; ; isNew = true) {
        const url = await this.#signedUrl(deadline, isNew);
        const outcome = await sendWithRetries(this.#http, { ...request, url }, call);
        const { status = 0, response, content } = outcome.response ?? {};
        // `read` has read every response that is ok.
        if (response?.ok && content !== undefined) return content as Content;
        if (!refusals.has(status)) throw responseError(outcome, call, config);
        if (isNew) {
          const code = status === 404 || status === 410 ? "result_purged" : "result_expired";
          throw new ResultError(code, job, { status, attempts: attemptLog.attempts });
        }
      }
    });
  }

  /** Yields the chunks of an image. Throws as soon as they exceed a limit, which ends the transfer. */
  async *#chunks(response: Response, attempt: Deadline): Chunks {
    const job = this.#job;
    const { maxResultBytes } = this.#http.config;
    const expected = job.data.result_bytes || Infinity;
    const [name, max, hint] =
      expected <= maxResultBytes
        ? ["its result_bytes", expected, "Ask the provider."]
        : ["maxResultBytes", maxResultBytes, "Raise maxResultBytes of the client to allow it."];
    let size = 0;
    for await (const chunk of readChunks(response, attempt)) {
      attempt.restart();
      size += chunk.length;
      if (size > max) {
        const problem = `The image of job ${job.id} exceeds ${name} (${max} bytes).`;
        throw new ConnectionError("unexpected_response", problem, { hint, job });
      }
      yield chunk;
    }
    if (size < expected && expected < Infinity) {
      throw new Error(`The image ended after ${size} of ${expected} bytes.`);
    }
  }

  /** Returns the signed URL. Polls the job for a new one if it is old. */
  async #signedUrl(deadline: Deadline, isNew = false): Promise<string> {
    const job = this.#job;
    const age = deadline.clock.now() - job.dataAt;
    if (isNew || !job.data.result_url || age >= maxUrlAge) await job.refresh(deadline);
    const url = job.data.result_url;
    if (!url) throw new ResultError("result_purged", job);
    if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
    const problem = `result_url of job ${job.id} is not an http or https URL.`;
    throw new ConnectionError("unexpected_response", problem, { hint: "Ask the provider.", job });
  }
}

/** Creates a stream of the chunks, which closes the deadline of the attempt at its end. */
function streamOf(chunks: Chunks, attempt: Deadline): ReadableStream<Uint8Array> {
  attempt.restart(Infinity);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        // The limit applies to the transfer of a chunk, not to a slow reader.
        attempt.restart();
        const { done, value } = await chunks.next();
        attempt.restart(Infinity);
        if (!done) return controller.enqueue(value);
        attempt.close();
        controller.close();
      } catch (error) {
        attempt.close();
        throw error;
      }
    },
    async cancel() {
      attempt.close();
      await chunks.return();
    },
  });
}
