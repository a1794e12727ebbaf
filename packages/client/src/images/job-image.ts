import type { CallOptions } from "../types/call-options.ts";
import { milliseconds } from "../config/duration.ts";
import { Deadline } from "../http/deadline.ts";
import type { Bytes, ResultImage } from "../types/result-image.ts";
import { download, signedUrl, type Chunks, type ResultSource } from "./download.ts";

/** Result image of a job. */
export class JobImage implements ResultImage {
  readonly #source: ResultSource;

  constructor(source: ResultSource) {
    this.#source = source;
  }

  async bytes(options: CallOptions = {}): Promise<Bytes> {
    return new Uint8Array(await (await this.blob(options)).arrayBuffer());
  }

  async blob(options: CallOptions = {}): Promise<Blob> {
    return this.#source.within(options, (deadline) =>
      download(this.#source, deadline, async (chunks, attempt) => {
        const parts: Uint8Array<ArrayBuffer>[] = [];
        for await (const chunk of chunks) {
          attempt.restart();
          parts.push(chunk);
        }
        return new Blob(parts, { type: "image/png" });
      }),
    );
  }

  async stream(options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const { clock, timeout } = this.#source.context.api.http.config;
    const limit = milliseconds(options.timeout ?? timeout, "timeout");
    const deadline = new Deadline(clock, limit, options.signal);
    try {
      return await download(
        this.#source,
        deadline,
        async (chunks, attempt) => streamOf(chunks, attempt, deadline),
        true,
      );
    } catch (error) {
      deadline.close();
      throw error;
    }
  }

  async url(options: CallOptions = {}): Promise<string> {
    return this.#source.within(options, (deadline) => signedUrl(this.#source, deadline));
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
