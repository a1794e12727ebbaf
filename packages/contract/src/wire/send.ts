import type { HttpResponse, SentRequest } from "./response.ts";
import { urlBelow } from "./base-url.ts";
import { guardedFetch, type Resolve } from "./guarded-fetch.ts";
import { LargeText } from "./large-text.ts";

export interface RequestInput {
  readonly method: string;
  /** A path below the base URL, or a whole URL, which gets no key. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array<ArrayBuffer> | LargeText | undefined;
}

export type Send = (
  request: RequestInput,
  ...signals: readonly (AbortSignal | undefined)[]
) => Promise<HttpResponse>;

export class NoResponse extends Error {
  override readonly name = "NoResponse";
  /** Private, because errors are printed with their fields and this has the key. */
  readonly #request: SentRequest;
  /** The code of the system or of TLS, such as `ECONNREFUSED`; empty where there is none. */
  readonly code: string;

  constructor(request: SentRequest, cause: unknown) {
    const code = codeOf(cause);
    const message = cause instanceof Error ? cause.message : String(cause);
    super(`${request.method} ${request.url} failed: ${code === "" ? message : code}.`, { cause });
    this.#request = request;
    this.code = code;
  }

  get request(): SentRequest {
    return this.#request;
  }
}

/** Timeout of a request in milliseconds. A synchronous request takes up to 90 s. */
const timeout = 150_000;

/** Maximum size of a response in MiB after decompression. The largest result is a PNG of 4K. */
const maxMebibytes = 64;

/**
 * @param fetch sends the requests; the network of this machine without it.
 * @param resolve returns the IPs of a host in a URL that the deployment names.
 */
export function createSend(
  baseUrl: string,
  fetch?: typeof globalThis.fetch,
  resolve?: Resolve,
): Send {
  const base = baseUrl.replace(/\/+$/, "");
  const fetchNamed = guardedFetch(baseUrl, fetch, resolve);
  const fetchOwn = fetch ?? globalThis.fetch;
  return async ({ method, path, headers = {}, body }, ...signals) => {
    const isNamed = /^https?:\/\//.test(path);
    const request: SentRequest = {
      method,
      url: isNamed ? path : `${base}${path}`,
      headers,
      body: typeof body === "string" ? body : undefined,
      ...(body instanceof LargeText && { body: body.start, bytes: body.bytes }),
    };
    const limit = AbortSignal.timeout(timeout);
    const ending = firstOf([limit, ...signals]);
    try {
      if (isNamed && new Headers(headers).has("authorization")) {
        throw new Error("a key is only sent below the base URL");
      }
      const target = isNamed ? new URL(path) : urlBelow(baseUrl, path);
      if (target === undefined) throw new Error("the path leaves the base URL");
      const response = await (isNamed ? fetchNamed : fetchOwn)(target.href, {
        method,
        redirect: "manual",
        signal: ending.signal,
        ...withBody(headers, body),
      });
      const bytes = await readBytes(response);
      // A request that is aborted can end its response as if it were complete.
      ending.signal.throwIfAborted();
      const text = new TextDecoder().decode(bytes);
      const { status, headers: received } = response;
      return { request, status, headers: received, bytes, text, json: parseJson(text) };
    } catch (error) {
      const isLate = limit.aborted && error === limit.reason;
      const cause = isLate ? `no response within ${timeout / 1_000} s` : error;
      throw new NoResponse(request, cause);
    } finally {
      ending.forget();
    }
  };
}

function withBody(headers: Readonly<Record<string, string>>, body: RequestInput["body"]) {
  if (!(body instanceof LargeText)) return { headers, ...(body !== undefined && { body }) };
  // Without its length, the body of a stream is sent in chunks, which some gateways refuse.
  const all = { ...headers, "content-length": String(body.bytes) };
  return { headers: all, body: body.stream(), duplex: "half" as const };
}

async function readBytes({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  const reader = body?.getReader();
  for (let length = 0; ;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return new Uint8Array(Buffer.concat(parts));
    length += value.length;
    if (length > maxMebibytes * 2 ** 20) {
      reader?.cancel().catch(() => undefined);
      throw new Error(`the response is larger than ${maxMebibytes} MiB`);
    }
    parts.push(value);
  }
}

/** Makes a signal that aborts with the first of several. `AbortSignal.any` came with Node 20.3. */
function firstOf(signals: readonly (AbortSignal | undefined)[]) {
  const first = new AbortController();
  const forgotten = new AbortController();
  for (const signal of signals) {
    const pass = (): void => first.abort(signal?.reason);
    if (signal?.aborted === true) pass();
    else signal?.addEventListener("abort", pass, { signal: forgotten.signal });
  }
  return { signal: first.signal, forget: () => forgotten.abort() };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return codeOf(error instanceof AggregateError ? error.errors[0] : error.cause);
}
