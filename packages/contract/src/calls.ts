import type { RequestInput } from "./wire/send.ts";
import type { Key } from "./target/keys.ts";

/** How a call differs from a plain one. */
export interface CallOptions {
  /** The key that is sent; null for none. */
  readonly key?: Key | string | null;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it stands, in place of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a 429 is an answer like any other; else it is waited out, and the call sent again. */
  readonly take429?: boolean;
  readonly signal?: AbortSignal;
}

/** How a submission is sent. */
export interface SubmitOptions extends Pick<
  CallOptions,
  "key" | "headers" | "take429" | "signal" | "raw"
> {
  readonly idempotencyKey?: string;
}

/** The token that goes with a call; null for none. */
export function tokenOf(key: Key | string | null): string | null {
  return key === null || typeof key === "string" ? key : key.token;
}

/** A call as it is sent. */
export function callInput(
  method: string,
  path: string,
  token: string | null,
  { query, body, raw, headers = {}, signal }: CallOptions,
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
