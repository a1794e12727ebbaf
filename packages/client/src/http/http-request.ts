import type { Bytes } from "../types/result-image.ts";
import type { RateLimit } from "../types/attempt.ts";
import type { MiddlewareContext, Purpose } from "../types/middleware.ts";
import type { Deadline } from "./deadline.ts";

export type SubmissionBody = string | BodySource;

export interface BodySource {
  readonly length: number;
  /** Error of an attempt that could not read the body, and so sent no complete request. */
  readonly unreadable: Error | undefined;
  /**
   * Reads the body in chunks: text, and images as `encode` encodes them in base64.
   *
   * @param size - Number of bytes of an image that are read at once, a multiple of 3.
   */
  chunks(encode: (bytes: Bytes) => Bytes, size?: number): AsyncGenerator<Bytes, void, undefined>;
  /**
   * Returns the part of a request's init that sends the body. Adds its length to the headers if `fetch` does not.
   *
   * @param onRead - Called after each chunk of a stream, and with true at the end. Throws to stop the upload.
   */
  open(headers: Record<string, string>, onRead: (isEnd: boolean) => void): Promise<RequestInit>;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Without the API key, which is added to each attempt. */
  readonly headers: Record<string, string>;
  readonly body?: SubmissionBody | undefined;
  /** Maximum time of one attempt after its last byte is sent, in milliseconds. */
  readonly timeout: number;
  /** Reads a response with a 2xx status instead of `readResponse`, within the deadline of the attempt. */
  readonly read?: (response: Response, deadline: Deadline) => Promise<HttpResponse>;
  readonly isRetry?: boolean;
  readonly onProgress?: ((sent: number) => void) | undefined;
}

/**
 * Stage of a request. `connecting` proves that no byte of it has reached a server, and `uploading` that its body has not reached
 * one completely. `sent` may be anything after that, and `reused` the same on a connection of an earlier request, which the
 * server may be closing. `lost` is any stage after one of these: whatever the error, the request may have arrived.
 */
export type Stage = "connecting" | "uploading" | "sent" | "reused" | "lost";

/** Response of a transport: the one of `fetch`, or one that creates such a `Response` only when it is asked for. */
export interface ReceivedResponse extends Pick<Response, "status" | "ok" | "type" | "text"> {
  readonly headers: Pick<Headers, "get" | "has">;
  toResponse?(): Response;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: ReceivedResponse["headers"];
  readonly response: ReceivedResponse;
  readonly requestId?: string | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly requestedDelay?: number | undefined;
  readonly text: string;
  /** Parsed JSON, or the result of `HttpRequest.read`. Undefined if the body is neither. */
  readonly content: unknown;
  /** If true, `HttpRequest.read` still reads the body, and closes the deadline of the attempt. */
  readonly open?: boolean | undefined;
  readonly redirect?: boolean;
}

export interface RawRequest extends Pick<HttpRequest, "method" | "url" | "headers" | "body"> {
  readonly name: string;
  readonly purpose: Purpose;
  readonly signal: AbortSignal;
}

export interface TransportRequest extends HttpRequest {
  readonly deadline: Deadline;
  /** Context for middleware. Undefined for any server but the service, which gets neither middleware nor the API key. */
  readonly context: Omit<MiddlewareContext, "idempotencyKey"> | undefined;
  readonly onSend: (stage: Stage) => void;
  /**
   * Called after each chunk of a streamed body, and with true at its end. Throws to stop the upload.
   *
   * @param sent - Number of bytes sent, if the transport can tell.
   */
  readonly onUpload: (isEnd: boolean, sent?: number) => void;
}

export interface Transport {
  send(request: TransportRequest): Promise<HttpResponse>;
  /** Creates a file for chunks. Absent outside Node. */
  createFile?(path: string): WholeFile;
}

/** File that has all chunks of one of its writes, or is as it was before. */
export interface WholeFile {
  /** Writes the file. Rejects with an error of the chunks. Other errors are those of `end`. */
  write(chunks: AsyncIterable<Uint8Array>): Promise<true>;
  end(): void;
}
