import { readAnswer, type Answer } from "./answer.ts";
import { abortable, Deadline } from "./deadline.ts";

/** How requests are sent: the global `fetch`, or a function like it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A request as it goes out, the same on each attempt. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  /** Without the key of the service, which is added to each attempt. */
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** The time that one attempt may take, in milliseconds. */
  readonly timeout: number;
  /** Whether a cache on the way may answer. */
  readonly cacheable?: boolean;
  /** Reads a good answer in place of {@link readAnswer}, within the limit of the attempt. */
  readonly read?: (response: Response, limit: Deadline) => Promise<Answer>;
}

/** How one attempt ended. */
export type Outcome =
  | { readonly answer: Answer }
  | {
      readonly answer: undefined;
      readonly failure: "connection_failed" | "timed_out";
      readonly cause: unknown;
    };

/** A request that was not sent: its client waits for the rate limit, for so many milliseconds. */
export interface Refusal {
  readonly answer: undefined;
  readonly failure: "rate_limited";
  readonly wait: number;
}

/** Sends once. Throws only the caller's reason, when the caller has aborted. */
export async function attempt(
  send: Fetch,
  request: Outgoing,
  deadline: Deadline,
): Promise<Outcome> {
  deadline.throwIfAborted();
  const limit = new Deadline(deadline.clock, request.timeout, deadline.signal);
  const { signal } = limit;
  let answer: Answer | undefined;
  try {
    const response = await abortable(send(request.url, requestInit(request, signal)), signal);
    const read = response.ok ? request.read : undefined;
    answer = await (read?.(response, limit) ?? readAnswer(response, limit));
    return { answer };
  } catch (cause) {
    deadline.throwIfAborted();
    const failure = limit.passed || deadline.passed ? "timed_out" : "connection_failed";
    return { answer: undefined, failure, cause };
  } finally {
    if (answer?.open !== true) limit.close();
  }
}

function requestInit(request: Outgoing, signal: AbortSignal): RequestInit {
  const { method, headers, body, cacheable } = request;
  return {
    method,
    headers,
    signal,
    redirect: "manual",
    ...(body === undefined ? {} : { body }),
    ...(method === "GET" && !cacheable && acceptsNoStore() ? { cache: "no-store" } : {}),
  };
}

let noStore: boolean | undefined;

/** Frameworks cache what looks like the same GET, and a poll then never sees the end; some runtimes throw at the field. */
function acceptsNoStore(): boolean {
  if (noStore === undefined) {
    try {
      noStore = new Request("https://localhost", { cache: "no-store" }).cache === "no-store";
    } catch {
      noStore = false;
    }
  }
  return noStore;
}

/** The code that the platform gives a failure, on it or on what caused it. */
export function failureCode(cause: unknown): string | undefined {
  // Every value can be asked for a property once it is an object.
  const { code, cause: deeper } = Object(cause) as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return deeper === undefined || deeper === cause ? undefined : failureCode(deeper);
}
