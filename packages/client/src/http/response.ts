import type { RateLimit } from "../types/attempt.ts";
import { abortable, type Deadline } from "./deadline.ts";
import { readRateLimit } from "./rate-limiter.ts";
import { requestedDelay } from "./retry-policy.ts";

/** Response whose body is read to its end, or to the limit. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Response of `fetch`, with its body read. */
  readonly response: Response;
  /** `x-request-id` header. */
  readonly requestId?: string | undefined;
  /** Rate limit from the headers. */
  readonly rateLimit?: RateLimit | undefined;
  /** Delay that the response requests before a retry, in milliseconds. */
  readonly requestedDelay?: number | undefined;
  readonly text: string;
  /** Parsed JSON, or the result of `HttpRequest.read`. Undefined if the body is neither. */
  readonly content: unknown;
  /** If true, `HttpRequest.read` still reads the body, and closes the deadline of the attempt. */
  readonly open?: boolean | undefined;
  /** If true, the response is a redirect. */
  readonly redirect?: boolean;
}

/** Maximum size of a body in bytes. A page of 100 jobs is about 100 kB. */
const maxBody = 8 * 2 ** 20;
/** Maximum size of an error body in bytes: enough to name every field. */
const maxErrorBody = 64 * 2 ** 10;

export async function readResponse(response: Response, limit: Deadline): Promise<HttpResponse> {
  const { status, headers, ok, type } = response;
  // In browsers, a redirect that is not followed has status 0.
  const redirect = type === "opaqueredirect" || (status !== 304 && status >= 300 && status < 400);
  const text = redirect ? "" : await readText(response, ok ? maxBody : maxErrorBody, limit);
  const now = limit.clock.now();
  return {
    status,
    headers,
    response,
    requestId: headers.get("x-request-id") ?? undefined,
    rateLimit: readRateLimit(headers, now),
    requestedDelay: requestedDelay(response, now),
    text,
    content: parseJson(text),
    redirect,
  };
}

/** Returns true for a 2xx with incomplete JSON, as opposed to one with another content. A retry may return all of it. */
export function isTruncated({ response, content, text, headers }: HttpResponse): boolean {
  if (!response.ok || content !== undefined) return false;
  return text.trim() ? /^\s*[{[]/.test(text) : /\bjson\b/i.test(`${headers.get("content-type")}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function readText(response: Response, maxLength: number, limit: Deadline): Promise<string> {
  const { headers } = response;
  // A body of a known, small length is read at once.
  if (
    !headers.has("content-encoding") &&
    Number(headers.get("content-length") || maxLength) < maxLength
  ) {
    return response.text();
  }
  const decoder = new TextDecoder();
  let text = "";
  let left = maxLength;
  for await (const chunk of readChunks(response, limit)) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left <= 0) return text;
  }
  return text + decoder.decode();
}

/** Yields the body of a response in chunks. Cancels the rest if the reader stops. */
export async function* readChunks(
  response: Response,
  limit: Deadline,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    // The response has no body, or the runtime no streams.
    yield new Uint8Array(await abortable(response.arrayBuffer(), limit.signal));
    return;
  }
  try {
    for (;;) {
      const { done, value } = await abortable(reader.read(), limit.signal);
      if (done) return;
      yield value;
    }
  } finally {
    // Frees the connection. Has no effect at the end of the body.
    reader.cancel().catch(() => undefined);
  }
}
