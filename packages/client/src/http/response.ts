import type { RateLimit } from "../types/attempt.ts";
import { readChunks } from "./read-chunks.ts";
import type { Deadline } from "./deadline.ts";
import { readRateLimit } from "./rate-limit.ts";

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
  // Browsers hide a redirect that is not followed behind status 0.
  const redirect = type === "opaqueredirect" || (status !== 304 && status >= 300 && status < 400);
  const text = redirect ? "" : await readText(response, ok ? maxBody : maxErrorBody, limit);
  return {
    status,
    headers,
    response,
    requestId: headers.get("x-request-id") ?? undefined,
    rateLimit: readRateLimit(headers, limit.clock.now()),
    text,
    content: parseJson(text),
    redirect,
  };
}

/** Whether a 2xx is one that was cut off on its way, as opposed to one that never was JSON. */
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

async function readText(response: Response, longest: number, limit: Deadline): Promise<string> {
  const { headers } = response;
  // Of a known length is what can be read in one go.
  if (
    !headers.has("content-encoding") &&
    Number(headers.get("content-length") || longest) < longest
  ) {
    return response.text();
  }
  const decoder = new TextDecoder();
  let text = "";
  let left = longest;
  for await (const chunk of readChunks(response, limit)) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left <= 0) return text;
  }
  return text + decoder.decode();
}
