import type { Job, Recover } from "../types/job.ts";
import type { MiddlewareContext, Purpose } from "../types/middleware.ts";
import type { AttemptLog } from "./attempt-log.ts";
import type { Deadline } from "./deadline.ts";
import type { HttpResponse } from "./response.ts";

/** Body of a submission. */
export type SubmissionBody = string | BodySource;

/** Body that each attempt reads from its beginning. */
export interface BodySource {
  /** Exact size in bytes. */
  readonly length: number;
  /** Error of an attempt that could not read the body, and so sent no complete request. */
  readonly unreadable: Error | undefined;
  /**
   * Returns the part of a request's init that sends the body. Adds its length to the headers if `fetch` does not.
   *
   * @param onRead - Called after each chunk of a stream, and with true at the end. Throws to stop the upload.
   */
  open(headers: Record<string, string>, onRead: (isEnd: boolean) => void): Promise<RequestInit>;
}

/** Request, the same on each attempt. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Without the API key, which is added to each attempt. */
  readonly headers: Record<string, string>;
  readonly body?: SubmissionBody | Uint8Array<ArrayBuffer> | undefined;
  /** Maximum time of one attempt after its last byte is sent, in milliseconds. */
  readonly timeout: number;
  /** Reads a response with a 2xx status instead of `readResponse`, within the deadline of the attempt. */
  readonly read?: (response: Response, deadline: Deadline) => Promise<HttpResponse>;
}

/** Request of `@tryon/client/raw`. */
export interface RawRequest extends Pick<HttpRequest, "method" | "url" | "headers" | "body"> {
  /** Method and path, for logs and errors. */
  readonly name: string;
  readonly purpose: Purpose;
  readonly signal: AbortSignal;
}

/** Call that a request belongs to: its limits, its attempts, and fields of its errors. */
export interface CallContext {
  /** Method and path, for logs and errors. */
  readonly name: string;
  /** Absent for any server but the service: the request gets no API key and is not rate limited. */
  readonly purpose?: Purpose | undefined;
  readonly deadline: Deadline;
  readonly attemptLog: AttemptLog;
  /** Called before each retry delay, in milliseconds. */
  readonly onRetry?: ((delay: number) => void) | undefined;
  /** Idempotency key of a submission, and the function that finds out its outcome. */
  readonly submission?: { readonly idempotencyKey: string; readonly recover: Recover } | undefined;
  readonly job?: Job | undefined;
}

/** Attempt as a transport sends it. */
export interface TransportRequest extends HttpRequest {
  /** Deadline of the attempt. Its signal aborts the request. */
  readonly deadline: Deadline;
  /** Context for middleware. Undefined for any server but the service, which gets neither middleware nor the API key. */
  readonly context: Omit<MiddlewareContext, "idempotencyKey"> | undefined;
  /** Called immediately before the request is sent. */
  readonly onSend: () => void;
  /** Called after each chunk of a streamed body, and with true at its end. Throws to stop the upload. */
  readonly onUpload: (isEnd: boolean) => void;
}

/** Sends requests once, without retries. */
export interface Transport {
  /** Sends a request and reads the response. Rejects if there is none. */
  send(request: TransportRequest): Promise<HttpResponse>;
}
