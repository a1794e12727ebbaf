import type { AttemptFailure } from "../types/attempt.ts";
import { defaults } from "../config/options.ts";
import { isBranded } from "../errors/tryon-error.ts";
import { readResponse, type HttpResponse } from "./response.ts";
import type { Deadline } from "./deadline.ts";
import type { HttpRequest } from "./http-request.ts";

/** Sends a request: the global `fetch`, or a function like it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Outcome of one attempt. */
export type Outcome = { readonly response: HttpResponse } | Failure;

/** An attempt without a response. */
export interface Failure {
  readonly response: undefined;
  /** `rate_limited`: it was not sent, since it would have to wait `wait` milliseconds for the rate limit. */
  readonly failure: AttemptFailure | "rate_limited";
  readonly cause?: unknown;
  readonly wait?: number;
}

/** Minimum speed of an upload without progress events, in bytes per millisecond (1 Mbit/s). It sets the upload's time limit. */
const minUploadSpeed = 125;

/** Sends a request once. Throws only the caller's abort reason, and an error of this package that `read` throws. */
export async function attempt(
  send: Fetch,
  request: HttpRequest,
  deadline: Deadline,
): Promise<Outcome> {
  deadline.throwIfAborted();
  const { method, url, headers, body, timeout, cacheable, read } = request;
  const limit = deadline.attempt(timeout + (body?.length ?? 0) / minUploadSpeed);
  const { signal } = limit;
  const [source, plain] =
    typeof body === "object" && "open" in body ? [body, undefined] : [undefined, body ?? null];
  let over = false;
  const onRead = (isEnd: boolean): void => {
    // Some implementations of `fetch` read on after an abort.
    if (over) throw new Error("The attempt is over.");
    limit.restart(isEnd ? timeout : defaults.uploadIdle);
  };
  let result: HttpResponse | undefined;
  const work = async (): Promise<HttpResponse> => {
    const init: RequestInit = {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(source ? await source.open(headers, onRead) : { body: plain }),
      ...(method === "GET" && !cacheable && acceptsNoStore() && { cache: "no-store" }),
    };
    signal.throwIfAborted();
    const response = await send(url, init);
    return response.ok && read ? read(response, limit) : readResponse(response, limit);
  };
  try {
    result = await limit.race(work());
    return { response: result };
  } catch (cause) {
    deadline.throwIfAborted();
    // A retry would not change what `read` refuses.
    if (read && isBranded(cause)) throw cause;
    // Set by a middleware that threw before anything was sent.
    const { unsent = source?.unreadable } = Object(cause) as { unsent?: unknown };
    if (unsent !== undefined) return { response: undefined, failure: "unsent", cause: unsent };
    // Node limits the wait for headers to 300 s.
    const timedOut = limit.passed || /(HEADERS|BODY)_TIM/.test(failureCode(cause) ?? "");
    return { response: undefined, failure: timedOut ? "timed_out" : "connection_failed", cause };
  } finally {
    over = true;
    if (!result?.open) limit.close();
  }
}

let noStore: boolean | undefined;

/** Returns false where `cache` makes `fetch` throw. Frameworks cache repeated GETs, so that polls would never end. */
function acceptsNoStore(): boolean {
  try {
    noStore ??= new Request("https://localhost", { cache: "no-store" }).cache === "no-store";
  } catch {
    noStore = false;
  }
  return noStore;
}

/** Returns the platform's code of a failure, from the error or its causes. */
export function failureCode(cause: unknown): string | undefined {
  const { code, cause: deeper } = Object(cause) as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return deeper === undefined || deeper === cause ? undefined : failureCode(deeper);
}
