import { defaults } from "../config/options.ts";
import { isBranded, type AttemptFailure } from "../errors/tryon-error.ts";
import { readAnswer, type Answer } from "./response.ts";
import type { Body } from "./submission-body.ts";
import type { Deadline } from "./deadline.ts";

/** How requests are sent: the global `fetch`, or a function like it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A request as it goes out, the same on each attempt. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  /** Without the key of the service, which is added to each attempt. */
  readonly headers: Record<string, string>;
  readonly body?: Body | Uint8Array<ArrayBuffer> | undefined;
  /** The time that one attempt may take from its last byte sent, in milliseconds. */
  readonly timeout: number;
  /** Whether a cache on the way may answer. */
  readonly cacheable?: boolean;
  /** Reads a good answer in place of {@link readAnswer}, within the limit of the attempt. */
  readonly read?: (response: Response, limit: Deadline) => Promise<Answer>;
}

/** How one attempt ended. */
export type Outcome = { readonly answer: Answer } | Failure;

/** An attempt that got no answer. */
export interface Failure {
  readonly answer: undefined;
  /**
   * `rate_limited`: it was not tried, and would have to wait for the rate limit, for `wait` milliseconds.
   */
  readonly failure: AttemptFailure | "rate_limited";
  readonly cause?: unknown;
  readonly wait?: number;
}

/** What a line carries at least, in bytes per millisecond: 1 Mbit/s. Uploads that cannot be watched get their time by it. */
const slowestUpload = 125;

/** Sends once. Throws only the caller's reason, when the caller has aborted, and an error of this package that `read` throws. */
export async function attempt(
  send: Fetch,
  request: Outgoing,
  deadline: Deadline,
): Promise<Outcome> {
  deadline.throwIfAborted();
  const { method, url, headers, body, timeout, cacheable, read } = request;
  const limit = deadline.attempt(timeout + (body?.length ?? 0) / slowestUpload);
  const { signal } = limit;
  const [images, plain] =
    typeof body === "object" && "open" in body ? [body, undefined] : [undefined, body ?? null];
  let over = false;
  const onTaken = (last: boolean): void => {
    // Ends the reading also where `fetch` lets a body run on.
    if (over) throw new Error("The attempt is over.");
    limit.restart(last ? timeout : defaults.uploadIdle);
  };
  let answer: Answer | undefined;
  const work = async (): Promise<Answer> => {
    const init: RequestInit = {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(images ? await images.open(headers, onTaken) : { body: plain }),
      ...(method === "GET" && !cacheable && acceptsNoStore() && { cache: "no-store" }),
    };
    signal.throwIfAborted();
    const response = await send(url, init);
    return response.ok && read ? read(response, limit) : readAnswer(response, limit);
  };
  try {
    answer = await limit.race(work());
    return { answer };
  } catch (cause) {
    deadline.throwIfAborted();
    // Another attempt would not change what an own reader refuses.
    if (read && isBranded(cause)) throw cause;
    // A middleware says so when it threw before anything was sent.
    const { unsent = images?.unreadable } = Object(cause) as { unsent?: unknown };
    if (unsent !== undefined) return { answer: undefined, failure: "unsent", cause: unsent };
    // Node has a limit of its own for the wait for headers, 300 s.
    const late = limit.passed || /(HEADERS|BODY)_TIM/.test(failureCode(cause) ?? "");
    return { answer: undefined, failure: late ? "timed_out" : "connection_failed", cause };
  } finally {
    over = true;
    if (!answer?.open) limit.close();
  }
}

let noStore: boolean | undefined;

/** Frameworks cache what looks like the same GET, and a poll then never sees the end; some runtimes throw at the field. */
function acceptsNoStore(): boolean {
  try {
    noStore ??= new Request("https://localhost", { cache: "no-store" }).cache === "no-store";
  } catch {
    noStore = false;
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
