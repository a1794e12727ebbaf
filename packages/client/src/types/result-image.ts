import type { CallOptions } from "./call-options.ts";

/** `Uint8Array<ArrayBuffer>`, in a form that compilers before TypeScript 5.7 can read. */
export type Bytes = ReturnType<typeof Uint8Array.from>;

/**
 * Result image of a try-on, a PNG. Each call downloads it, and nothing is kept. Every method throws `result_expired` if the
 * store rejects a new URL too, and `result_purged` if the image was deleted, 30 days after it was made.
 */
export interface ResultImage {
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
  bytes(options?: CallOptions): Promise<Bytes>;

  /**
   * Downloads the image as a blob of type `image/png`.
   *
   * @throws as `bytes`
   */
  blob(options?: CallOptions): Promise<Blob>;

  /**
   * Downloads the image as a stream. Read it to its end, or cancel it. An interrupted download fails the stream. `timeout`
   * applies to the whole download.
   *
   * @throws as `bytes`
   */
  stream(options?: CallOptions): Promise<ReadableStream<Uint8Array>>;

  /**
   * Returns the signed URL of the image, for a browser or another program. It is valid for at least an hour, and the client
   * requests a new one if it is old. Anyone who has it can see the image.
   *
   * @throws `result_purged`, and the errors of a poll
   */
  url(options?: CallOptions): Promise<string>;
}
