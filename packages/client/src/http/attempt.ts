import { defaults } from "../config/options.ts";
import { isBranded } from "../errors/tryon-error.ts";
import type { HttpResponse } from "./response.ts";
import type { Transport, TransportRequest } from "./transport.ts";
import { abortable, type Deadline } from "./deadline.ts";
import { failureCode, type Outcome } from "./outcome.ts";
import type { HttpRequest } from "./http-request.ts";

/** Minimum speed of an upload without progress events, in bytes per millisecond (1 Mbit/s). It sets the upload's time limit. */
const minUploadSpeed = 125;

/**
 * Sends a request once. A request without a response becomes an outcome with the reason. Throws only the caller's abort
 * reason, and an error of this package that `read` throws.
 */
export async function attempt(
  transport: Transport,
  request: HttpRequest,
  deadline: Deadline,
  context: TransportRequest["context"],
): Promise<Outcome> {
  deadline.throwIfAborted();
  const { body, timeout, read } = request;
  const limit = deadline.attempt(timeout + (body?.length ?? 0) / minUploadSpeed);
  let isSent = false;
  let isOver = false;
  const onSend = (): void => {
    isSent = true;
  };
  const onUpload = (isEnd: boolean): void => {
    // Some implementations of `fetch` continue to read after an abort.
    if (isOver) throw new Error("The attempt is over.");
    limit.restart(isEnd ? timeout : defaults.uploadIdle);
  };
  let response: HttpResponse | undefined;
  try {
    const sending = transport.send({ ...request, deadline: limit, context, onSend, onUpload });
    response = await abortable(sending, limit.signal);
    return { response };
  } catch (cause) {
    deadline.throwIfAborted();
    // A retry would not change what `read` refuses.
    if (read && isBranded(cause)) throw cause;
    const unreadable = typeof body === "object" && "open" in body ? body.unreadable : undefined;
    if (unreadable) return { response: undefined, failure: "unsent", cause: unreadable };
    // Node limits the wait for headers to 300 s.
    const timedOut = limit.passed || /(HEADERS|BODY)_TIM/.test(failureCode(cause) ?? "");
    if (!isSent && !timedOut) return { response: undefined, failure: "unsent", cause };
    return { response: undefined, failure: timedOut ? "timed_out" : "connection_failed", cause };
  } finally {
    isOver = true;
    if (!response?.open) limit.close();
  }
}
