import type { CallOptions } from "./call-options.ts";

/** `Uint8Array<ArrayBuffer>`, in a form that compilers before TypeScript 5.7 can read. */
export type Bytes = ReturnType<typeof Uint8Array.from>;

/**
 * Result image of a try-on, a PNG. Each call downloads it, and nothing is kept. Every method throws `result_expired` if the
 * store rejects new URLs for 30 seconds, and `result_purged` if the image was deleted, 30 days after it was made. A body
 * that is not a PNG is `unexpected_response`, whose `received` has it.
 */
export interface ResultImage {
  /** Id of the job that made the image, such as `job_4fK9sQ2mZx7LbT1cVw8RnE3y`. */
  readonly jobId: string;

  /**
   * Downloads the image. Restarts an interrupted download.
   *
   * @throws `connection_failed`, `timed_out`, `result_expired`, `result_purged`; `unexpected_response` for an image above
   * `maxResultBytes` of the client or above its `result_bytes`
   * @example
   * const [first] = await result.image.bytes(); // 0x89, the first byte of a PNG
   */
  bytes(options?: CallOptions): Promise<Bytes>;

  /**
   * Downloads the image as a blob of type `image/png`. In React Native, it is in memory and has `arrayBuffer`, `text`, `slice`,
   * `size` and `type`: show the image by its `url`, and save its `bytes`.
   *
   * @throws as `bytes`
   */
  blob(options?: CallOptions): Promise<Blob>;

  /**
   * Downloads the image as a stream, which begins with the signature of a PNG. Read it to its end, or cancel it. An interrupted
   * download fails the stream. `timeout` applies to the whole download.
   *
   * @throws as `bytes`; `unsafe_environment` in an app of React Native without streams
   */
  stream(options?: CallOptions): Promise<ReadableStream<Uint8Array>>;

  /**
   * Downloads the image to a file, in Node. The file has the whole image or is left as it was: the image goes to a temporary
   * file beside it, which replaces it at the end. Uses little memory for an image of any size.
   *
   * @throws as `bytes`; `unsafe_environment` outside Node, where `blob()` returns the image; the error of the file system, such
   * as ENOENT if the folder is missing
   * @example
   * await result.image.save("out.png");
   */
  save(path: string, options?: CallOptions): Promise<void>;

  /**
   * Returns the signed URL of the image, for a browser or another program. It is valid for at least an hour, and the client
   * requests a new one if it is old. Anyone who has it can see the image.
   *
   * @throws `result_purged`, and the errors of a poll
   */
  url(options?: CallOptions): Promise<string>;

  /** Returns the job of the image with its status and cost, as `console.log` of Node also prints them. */
  toString(): string;
}
