import type { CallOptions } from "../types/call-options.ts";
import { milliseconds } from "../config/duration.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import type { JobRecord } from "../jobs/job-record.ts";
import type { HttpResponse } from "../http/response.ts";
import { readChunks } from "../http/read-chunks.ts";
import { Deadline, within } from "../http/deadline.ts";
import type { Bytes, ResultImage } from "../types/result-image.ts";
import { download } from "./download.ts";
import { signedAddress } from "./signed-address.ts";

const pngType = "image/png";

/** Result image of a job. */
export class JobImage implements ResultImage {
  readonly #record: JobRecord;

  /** @internal Images come with results. */
  constructor(record: JobRecord) {
    this.#record = record;
  }

  async bytes(options: CallOptions = {}): Promise<Bytes> {
    let bytes: Bytes = new Uint8Array();
    await this.#within(options, (deadline) =>
      download(this.#record, deadline, async (response, limit) => {
        bytes = await readAll(response, limit, this.#record);
        return readable(response);
      }),
    );
    return bytes;
  }

  async blob(options: CallOptions = {}): Promise<Blob> {
    return new Blob([await this.bytes(options)], { type: pngType });
  }

  async stream(options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const { clock, timeout } = this.#record.context.config;
    const limit = milliseconds(options.timeout ?? timeout, "timeout");
    const deadline = new Deadline(clock, limit, options.signal);
    let stream = new ReadableStream<Uint8Array>();
    try {
      await download(this.#record, deadline, async (response, attempt) => {
        stream = passOn(imageChunks(response, attempt, this.#record), attempt, deadline);
        return readable(response, true);
      });
      return stream;
    } catch (error) {
      deadline.close();
      throw error;
    }
  }

  async url(options: CallOptions = {}): Promise<string> {
    return this.#within(options, (deadline) => signedAddress(this.#record, deadline));
  }

  #within<Result>(
    options: CallOptions,
    work: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result> {
    const config = this.#record.context.config;
    return within(config, options, config.timeout, work);
  }
}

/** A good answer whose body is read elsewhere. */
function readable(response: Response, open?: boolean): HttpResponse {
  const { status, headers } = response;
  return { status, headers, response, text: "", content: true, open };
}

/** The pieces of an image. Fails as soon as they exceed a limit, which also ends the transfer. */
async function* imageChunks(
  response: Response,
  limit: Deadline,
  { id, job, data, context }: JobRecord,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const expected = data.result_bytes || Number.POSITIVE_INFINITY;
  const { maxResultBytes } = context.config;
  let size = 0;
  for await (const chunk of readChunks(response, limit)) {
    size += chunk.length;
    if (size > maxResultBytes || size > expected) {
      const [name, bytes, hint] =
        size > expected
          ? ["its result_bytes", expected, "Ask the provider."]
          : ["maxResultBytes", maxResultBytes, "Raise maxResultBytes of the client to allow it."];
      throw new ConnectionError(
        "unexpected_response",
        `The image of job ${id} exceeds ${name} (${bytes} bytes).`,
        { hint, job },
      );
    }
    yield chunk;
  }
  if (size < (data.result_bytes || 0)) {
    throw new Error(`The image ended after ${size} of ${expected} bytes.`);
  }
}

async function readAll(
  response: Response,
  limit: Deadline,
  record: JobRecord,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of imageChunks(response, limit, record)) {
    limit.restart();
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function passOn(
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>,
  limit: Deadline,
  deadline: Deadline,
): ReadableStream<Uint8Array> {
  limit.restart(Number.POSITIVE_INFINITY);
  const close = (): void => {
    limit.close();
    deadline.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        // A reader that takes its time is no transfer that stands still.
        limit.restart();
        const { done, value } = await chunks.next();
        limit.restart(Number.POSITIVE_INFINITY);
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
