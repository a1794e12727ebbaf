import { isApp } from "#app";
import { isPage } from "#page";

import type { CallOptions } from "../types/call-options.ts";
import type { Job } from "../types/job.ts";
import type { Part } from "../types/part.ts";
import type { Bytes, ResultImage } from "../types/result-image.ts";
import { serviceTime } from "../api/service-time.ts";
import type { Redact } from "../errors/redact.ts";
import { ConfigError } from "../errors/refusal-errors.ts";
import { ConnectionError, ResultError } from "../errors/request-errors.ts";
import { usePart } from "../errors/use-part.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import { followRedirects } from "../http/follow-redirects.ts";
import type { Deadline } from "../http/deadline.ts";
import type { HttpRequest } from "../http/http-request.ts";
import { readChunks } from "../http/send-request.ts";
import { responseError } from "../http/response-error.ts";
import { sendWithRetries, type HttpContext } from "../http/send-with-retries.ts";
import { PngWalker } from "./png-walker.ts";

export interface ResultSource extends Job {
  readonly dataAge: number;
  within<Result>(
    options: CallOptions,
    work: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result>;
  /** Polls the job once. Returns the time of the service in milliseconds since 1970, or NaN if its response has none. */
  refresh(deadline: Deadline): Promise<number>;
}

/** Age from which the client replaces a signed URL, in milliseconds. It leaves the caller one of the 24 hours of validity. */
const maxUrlAge = 23 * 3_600_000;
/** Statuses of a store for an expired URL, a deleted image, or one that it does not show yet. */
const refusals = new Set([400, 403, 404, 410]);
/** Time for which the service keeps an image, in milliseconds. */
const retention = 30 * 86_400_000;
/** Maximum time for which a missing image is requested again, in milliseconds. */
const maxMissingTime = 30_000;
/** Browsers follow redirects by themselves. */
const send = isPage ? sendWithRetries : followRedirects;
const signatureSize = 8;
/** Number of bytes of a wrong body that its error keeps. */
const maxReceived = 2 ** 16;

export const inspect = Symbol.for("nodejs.util.inspect.custom");

export type Chunks = AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;

/** Facts of a response that is not the image. Without facts, the job has no valid URL. */
export interface UnexpectedImage {
  readonly expected?: number;
  readonly maxResultBytes?: number;
  /** Response that is not a PNG, and the start of its body. */
  readonly response?: Response;
  readonly chunks?: readonly Uint8Array<ArrayBuffer>[];
}

export interface ImageProblem {
  readonly problem: string;
  readonly hint: string;
  readonly status?: number;
  readonly received?: Blob;
}

/** Code that only streams and errors of images need. */
export type ImagePart = Part<{
  readonly streamOf: (chunks: Chunks, attempt: Deadline) => Promise<ReadableStream<Uint8Array>>;
  readonly describeImage: (found: UnexpectedImage, redact: Redact) => ImageProblem;
}>;

export class JobImage implements ResultImage {
  declare readonly jobId: string;
  readonly #job: ResultSource;
  readonly #http: HttpContext;
  readonly #load: ImagePart;
  #serviceTime = Number.NaN;

  constructor(job: ResultSource, http: HttpContext, load: ImagePart) {
    this.jobId = job.id;
    this.#job = job;
    this.#http = http;
    this.#load = load;
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
    if (isApp && !("ReadableStream" in globalThis)) {
      throw new ConfigError("unsafe_environment", "stream() needs streams.", "Use bytes().");
    }
    const { streamOf } = await usePart(this.#load);
    return this.#download(options, streamOf, true);
  }

  async save(path: string, options: CallOptions = {}): Promise<void> {
    const file = isPage ? undefined : this.#http.transport.createFile?.(path);
    if (isPage || !file) {
      const hint = isPage
        ? "Use blob()."
        : 'Use blob(). In a bundle for Node, set exportConditions: ["node"] (rollup) or packageExports (Parcel).';
      throw new ConfigError("unsafe_environment", "save() needs Node.", hint);
    }
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
   * Downloads the image and returns the result of `read`. Replaces a refused URL, and that of a body that is not a PNG. Sends
   * neither the key nor another header of the client: the URL gives access, and stores reject further credentials.
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
        if (!open && (isPage || response.body?.getReader))
          response.body?.cancel().catch(() => undefined);
        return { status, headers, response, text: "", content, open };
      },
    };
    return job.within(options, async (deadline) => {
      const { clock } = deadline;
      const attemptLog = new AttemptLog();
      const call = { name: `GET of the image of ${job.id}`, deadline, attemptLog, job };
      let missingSince = Infinity;
      for (let urls = 0; ; urls += 1) {
        const url = await this.#signedUrl(deadline, urls > 0);
        let outcome;
        try {
          outcome = await send(this.#http, { ...request, url }, call);
        } catch (error) {
          // The store may have sent the page of a proxy, or of a login.
          if (urls > 0 || !(Object(error) as { received?: Blob }).received) throw error;
          continue;
        }
        const { status = 0, response, content } = outcome.response ?? {};
        // `read` has read every response that is ok.
        if (response?.ok && content !== undefined) return content as Content;
        if (!refusals.has(status)) throw await responseError(outcome, call, this.#http);
        missingSince = Math.min(missingSince, clock.monotonic());
        const delay = urls > 0 ? Math.min(4_000, 500 * 2 ** urls) : 0;
        const isLast = clock.monotonic() + delay - missingSince > maxMissingTime;
        const error = this.#resultError({ status, attempts: attemptLog.attempts });
        const isOver = isLast || delay >= deadline.left() || error.code === "result_purged";
        if (urls > 0 && isOver) throw error;
        await deadline.sleep(delay);
      }
    });
  }

  /**
   * Yields the chunks of an image, the first of them with its whole signature. Throws as soon as they exceed a limit, which ends
   * the transfer, or are not those of a PNG. The last chunks may be those of a PNG that ends too early, which throws at the end.
   */
  async *#chunks(response: Response, attempt: Deadline): Chunks {
    const { maxResultBytes } = this.#http.config;
    const expected = this.#job.data.result_bytes || Infinity;
    const walker = new PngWalker();
    let size = 0;
    let isRefused = response.status !== 200;
    // Chunks that are not part of the image yet.
    const received: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of readChunks(response, attempt)) {
      attempt.restart();
      size += chunk.length;
      walker.push(chunk);
      isRefused ||= walker.isInvalid;
      received.push(chunk);
      if (size < (isRefused ? maxReceived : signatureSize)) continue;
      if (isRefused) break;
      if (size > maxResultBytes || size > expected) {
        throw await this.#unexpected({ expected, maxResultBytes });
      }
      yield* received.splice(0);
    }
    if (isRefused || size === 0) {
      throw await this.#unexpected({ expected, maxResultBytes, response, chunks: received });
    }
    if (!walker.isComplete || (size < expected && expected < Infinity)) {
      const stated = this.#job.data.result_bytes ?? "unknown";
      const end = walker.isComplete ? "with" : "without";
      throw new Error(`The image ended after ${size} of ${stated} bytes, ${end} IEND.`);
    }
  }

  async #unexpected(found: UnexpectedImage): Promise<ConnectionError> {
    const part = await this.#load();
    const {
      problem = "is not valid",
      received: value,
      ...details
    } = {
      ...part?.describeImage(found, this.#http.config.redact),
    };
    const job = this.#job;
    const message = `The image of job ${job.id} ${problem}.`;
    const error = new ConnectionError("unexpected_response", message, { ...details, job });
    return value ? Object.defineProperty(error, "received", { value }) : error;
  }

  async #signedUrl(deadline: Deadline, isNew = false): Promise<string> {
    const job = this.#job;
    if (isNew || !job.data.result_url || job.dataAge >= maxUrlAge) {
      this.#serviceTime = await job.refresh(deadline);
    }
    const url = job.data.result_url;
    if (!url) throw this.#resultError({});
    if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
    throw await this.#unexpected({});
  }

  /** Creates the error of an image that is missing: `result_purged` if the service has deleted it, by its own clock. */
  #resultError(details: ConstructorParameters<typeof ResultError>[2]): ResultError {
    const isPurged = serviceTime(this.#job.data.created_at) + retention < this.#serviceTime;
    return new ResultError(isPurged ? "result_purged" : "result_expired", this.#job, details);
  }
}
