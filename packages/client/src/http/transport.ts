import type { MiddlewareContext } from "../types/middleware.ts";
import type { Deadline } from "./deadline.ts";
import type { HttpRequest } from "./http-request.ts";
import type { HttpResponse } from "./response.ts";

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
