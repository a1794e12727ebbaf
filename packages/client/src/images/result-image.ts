import { milliseconds } from "../config/duration.ts";
import type { CallOptions } from "../config/options.ts";
import { Deadline } from "../http/deadline.ts";
import { download, signedUrl, type Chunks, type ImageJob } from "./download.ts";

/** `Uint8Array<ArrayBuffer>`, written so that TypeScript before 5.7 compiles it. */
export type Bytes = ReturnType<typeof Uint8Array.from>;

/**
 * Result image of a try-on, a PNG. Each call downloads it, and nothing is kept. Every method throws `result_expired` if the
 * store rejects a new URL too, and `result_purged` if the image was deleted, 30 days after it was made.
 */
export class ResultImage {
  readonly #job: ImageJob;

  /** @internal Images come with results. */
  constructor(job: ImageJob) {
    this.#job = job;
  }

  /**
   * Downloads the image. Restarts an interrupted download.
   *
   * @throws `connection_failed`, `timed_out`, `result_expired`, `result_purged`; `unexpected_response` for an image above
   * `maxResultBytes` of the client or above its `result_bytes`
   * @example
   * import { writeFile } from "node:fs/promises";
   *
   * await writeFile("out.png", await result.image.bytes());
   */
  async bytes(options: CallOptions = {}): Promise<Bytes> {
    return new Uint8Array(await (await this.blob(options)).arrayBuffer());
  }

  /**
   * Downloads the image as a blob of type `image/png`.
   *
   * @throws as `bytes`
   */
  async blob(options: CallOptions = {}): Promise<Blob> {
    return this.#job.within(options, (deadline) =>
      download(this.#job, deadline, async (chunks, attempt) => {
        const parts: Uint8Array<ArrayBuffer>[] = [];
        for await (const chunk of chunks) {
          attempt.restart();
          parts.push(chunk);
        }
        return new Blob(parts, { type: "image/png" });
      }),
    );
  }

  /**
   * Downloads the image as a stream. Read it to its end, or cancel it. An interrupted download fails the stream. `timeout`
   * applies to the whole download.
   *
   * @throws as `bytes`
   */
  async stream(options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const { clock, timeout } = this.#job.context.api.http.config;
    const limit = milliseconds(options.timeout ?? timeout, "timeout");
    const deadline = new Deadline(clock, limit, options.signal);
    try {
      return await download(
        this.#job,
        deadline,
        async (chunks, attempt) => streamOf(chunks, attempt, deadline),
        true,
      );
    } catch (error) {
      deadline.close();
      throw error;
    }
  }

  /**
   * Returns the signed URL of the image, for a browser or another program. It is valid for at least an hour, and the client
   * requests a new one if it is old. Anyone who has it can see the image.
   *
   * @throws `result_purged`, and the errors of a poll
   */
  async url(options: CallOptions = {}): Promise<string> {
    return this.#job.within(options, (deadline) => signedUrl(this.#job, deadline));
  }
}

/** Creates a stream of the chunks, which closes both deadlines at its end. */
function streamOf(
  chunks: Chunks,
  attempt: Deadline,
  deadline: Deadline,
): ReadableStream<Uint8Array> {
  attempt.restart(Number.POSITIVE_INFINITY);
  const close = (): void => {
    attempt.close();
    deadline.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        // The limit applies to the transfer of a chunk, not to a slow reader.
        attempt.restart();
        const { done, value } = await chunks.next();
        attempt.restart(Number.POSITIVE_INFINITY);
        if (!done) return controller.enqueue(value);
        close();
        controller.close();
      } catch (error) {
        close();
        throw error;
      }
    },
    async cancel() {
      close();
      await chunks.return();
    },
  });
}
