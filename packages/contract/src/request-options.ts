import type { RequestInput } from "./wire/send.ts";
import type { Key } from "./target/keys.ts";

/** Options of a request. */
export interface RequestOptions {
  /** Key of the request, or null for none. */
  readonly key?: Key | string | null;
  readonly query?: Readonly<Record<string, string>>;
  /** Body that is sent as JSON. */
  readonly body?: unknown;
  /** Bytes that are sent instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** If true, returns a 429. Otherwise waits and sends the request again. */
  readonly return429?: boolean;
  readonly signal?: AbortSignal;
}

/** Options of a submission. */
export interface SubmitOptions extends Pick<
  RequestOptions,
  "key" | "headers" | "return429" | "signal" | "raw"
> {
  readonly idempotencyKey?: string;
}

/** Returns the token of a request, or null for none. */
export function tokenOf(key: Key | string | null): string | null {
  return key === null || typeof key === "string" ? key : key.token;
}

/** Builds a request. */
export function buildRequest(
  method: string,
  path: string,
  token: string | null,
  { query, body, raw, headers = {}, signal }: RequestOptions,
): RequestInput {
  const search = query === undefined ? "" : `?${new URLSearchParams(query).toString()}`;
  return {
    method,
    path: `${path}${search}`,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
    signal,
  };
}
