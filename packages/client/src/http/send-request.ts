import { isPage } from "#page";

import { isBrowser, type Config } from "../config/resolve-config.ts";
import { usePart } from "../errors/use-part.ts";
import type { RateLimit } from "../types/attempt.ts";
import type { Part } from "../types/part.ts";
import { abortable, type Deadline } from "./deadline.ts";
import type { HttpResponse, ReceivedResponse, TransportRequest } from "./http-request.ts";
import { requestedDelay } from "./retry-policy.ts";

/** Maximum size of a body in bytes. A page of 100 jobs is about 100 kB. */
export const maxBody = 8 * 2 ** 20;
/** Maximum size of an error body in bytes: enough to name every field. */
export const maxErrorBody = 64 * 2 ** 10;

export interface SendConfig extends Pick<Config, "middleware" | "baseUrl" | "apiKey"> {
  readonly fetch: (
    url: string,
    init: RequestInit,
    request: TransportRequest,
  ) => Promise<ReceivedResponse>;
  /** False if `fetch` never returns a cached response. */
  readonly hasCache?: false;
  readonly loadMiddleware?: Part<{ readonly sendThroughMiddleware: SendThroughMiddleware }>;
  /** Reads the headers of the rate limit. Absent for a proxy, which sends none. */
  readonly readRateLimit?: (headers: Pick<Headers, "get">, now: number) => RateLimit | undefined;
}

export type SendThroughMiddleware = (
  config: SendConfig,
  init: RequestInit,
  context: NonNullable<TransportRequest["context"]>,
  request: TransportRequest,
) => Promise<Response>;

export async function sendRequest(
  config: SendConfig,
  request: TransportRequest,
): Promise<HttpResponse> {
  const { method, url, body, read, context, deadline, onUpload } = request;
  const { fetch, middleware, apiKey, hasCache } = config;
  const { signal } = deadline;
  const headers = { ...request.headers };
  const init: RequestInit = {
    method,
    headers,
    signal,
    // A page can neither follow a redirect itself nor see where it leads.
    ...((isPage ? context : context || !isBrowser())
      ? { redirect: "manual" }
      : { redirect: "follow", credentials: "omit" }),
    ...(typeof body === "object" ? await body.open(headers, onUpload) : { body: body ?? null }),
    // An image may come from a cache.
    ...((isPage || (hasCache !== false && acceptsNoStore())) &&
      method === "GET" &&
      context && { cache: "no-store" }),
    ...(!isPage && request.isRetry && newConnection()),
  };
  signal.throwIfAborted();
  let response: ReceivedResponse;
  if (context && middleware[0] && config.loadMiddleware) {
    const { sendThroughMiddleware } = await usePart(config.loadMiddleware);
    response = await sendThroughMiddleware(config, init, context, request);
  } else {
    // A client of a proxy has no key: the proxy adds its own.
    if (context && apiKey) headers["authorization"] = `Bearer ${apiKey}`;
    response = await fetch(url, init, request);
  }
  return response.ok && read
    ? read(response as Response, deadline)
    : readResponse(response, deadline, config);
}

interface Runtimes {
  readonly Bun?: object;
  readonly Deno?: { createHttpClient?(options: { readonly poolMaxIdlePerHost: 0 }): object };
}

let client: object | undefined;

/**
 * Returns the part of a request's init that opens a new connection. Bun and Deno would try the kept ones one after the other,
 * which a load balancer may all have forgotten. `fetch` of Node does not, and browsers cannot be told.
 */
function newConnection(): object | undefined {
  const { Bun, Deno } = globalThis as Runtimes;
  if (Bun) return { keepalive: false };
  return Deno && { client: (client ??= Deno.createHttpClient?.({ poolMaxIdlePerHost: 0 })) };
}

let noStore: boolean | undefined;

/** Returns false if `cache` makes `fetch` throw. Frameworks cache repeated GETs, so that polls would never end. */
function acceptsNoStore(): boolean {
  try {
    noStore ??= new Request("https://localhost", { cache: "no-store" }).cache === "no-store";
  } catch {
    noStore = false;
  }
  return noStore;
}

async function readResponse(
  response: ReceivedResponse,
  limit: Deadline,
  { readRateLimit }: Pick<SendConfig, "readRateLimit">,
): Promise<HttpResponse> {
  const { status, headers, ok, type } = response;
  // In browsers, a redirect that is not followed has status 0.
  const redirect = type === "opaqueredirect" || (status !== 304 && status >= 300 && status < 400);
  const text = redirect ? "" : await readText(response, ok ? maxBody : maxErrorBody, limit);
  // nock responds so to a request without a match. The message can be longer than an error body.
  if (!isPage && status === 501 && text.startsWith(`{"code":"${noMatch.code}"`)) throw noMatch;
  const now = limit.clock.now();
  return {
    status,
    headers,
    response,
    requestId: headers.get("x-request-id") ?? undefined,
    rateLimit: readRateLimit?.(headers, now),
    requestedDelay: requestedDelay(response, now),
    text,
    content: parseJson(text),
    redirect,
  };
}

const noMatch = { code: "ERR_NOCK_NO_MATCH", message: "Nock: No match for request" };

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

async function readText(
  response: ReceivedResponse,
  maxLength: number,
  limit: Deadline,
): Promise<string> {
  const { headers } = response;
  // Servers read a body at once that is in memory, or of a known, small length: that takes less time.
  const isSmall = () =>
    !headers.has("content-encoding") &&
    Number(headers.get("content-length") || maxLength) < maxLength;
  if (!isPage && (response.toResponse || isSmall())) return response.text();
  const decoder = new TextDecoder();
  let text = "";
  let left = maxLength;
  for await (const chunk of readChunks(response as Response, limit)) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left <= 0) return text;
  }
  return text + decoder.decode();
}

/** Returns undefined if the body is not a web stream, as in some implementations of `fetch`. */
function webReader({
  body,
}: Response): ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined {
  return body && "getReader" in body ? body.getReader() : undefined;
}

/** Yields the body of a response in chunks. Cancels the rest if the reader stops. */
export async function* readChunks(
  response: Response,
  limit: Deadline,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const reader = isPage ? response.body?.getReader() : webReader(response);
  if (reader === undefined) {
    // The response has no body, or the runtime no web streams.
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
