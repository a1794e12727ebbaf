import { chunksOf } from "./read-chunks.ts";
import type { Deadline } from "./deadline.ts";
import { readRateLimit, type RateLimit } from "./rate-limit.ts";

/** An answer whose body was read to its end, or to the limit. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** What it came in; its body is read by whoever made this. */
  readonly response: Response;
  /** The `x-request-id`. */
  readonly requestId?: string | undefined;
  /** What the headers say of the rate limit. */
  readonly rateLimit?: RateLimit | undefined;
  readonly text: string;
  /** What the body is: parsed JSON or what an own reader made of it, undefined when it is neither. */
  readonly content: unknown;
  /** Whether the body is still being read, by an own reader that closes the limit of the attempt. */
  readonly open?: boolean | undefined;
  /** Whether the answer is a redirect. */
  readonly redirect?: boolean;
}

/** More than any real answer: a page of 100 jobs is about 100 kB. */
const longestBody = 8 * 2 ** 20;
/** Enough of an error to name every field. */
const longestErrorBody = 64 * 2 ** 10;

export async function readAnswer(response: Response, limit: Deadline): Promise<Answer> {
  const { status, headers, ok, type } = response;
  // Browsers hide a redirect that is not followed behind status 0.
  const redirect = type === "opaqueredirect" || (status !== 304 && status >= 300 && status < 400);
  const text = redirect ? "" : await readText(response, ok ? longestBody : longestErrorBody, limit);
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
export function isTruncated({ response, content, text, headers }: Answer): boolean {
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
  for await (const chunk of chunksOf(response, limit)) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left <= 0) return text;
  }
  return text + decoder.decode();
}
