import { isPath } from "../wire/base-url.ts";

/**
 * Recorded request and its response: one line of a session file. It has no key, secret, image or signature, and no text of
 * a user unless the recorder keeps texts.
 */
export interface Exchange {
  /** Version of the format. */
  readonly format: 1;
  /** Time of the request, in milliseconds since 1970. */
  readonly at: number;
  /** Alias of the origin of the service, as in markers of URLs. Absent where the recorder cannot see it. */
  readonly origin?: string;
  readonly method: string;
  /** Path and query below the base URL. Unknown parts are replaced by aliases. */
  readonly path: string;
  /** Alias of the API key, such as `test-1f0c9a2b3d4e`, or null without one. `unknown-…` where the recorder cannot see it. */
  readonly key: string | null;
  readonly request: RecordedMessage;
  /** Absent if no response has begun. */
  readonly response?: RecordedMessage & {
    readonly status: number;
    /** Time from the request to the headers of the response, in milliseconds. */
    readonly headersAfter: number;
  };
  /** Time from the request to the end of the response, in milliseconds. */
  readonly endedAfter: number;
  /** Reason for an incomplete exchange, such as `ECONNRESET` or `closed`. */
  readonly error?: string;
  /** If true, the recording of another tool lacks times: `at` has the order, and durations can be 0. */
  readonly isUntimed?: boolean;
}

export interface RecordedMessage {
  /** By name in lower case. The value of an unknown header is its length, such as `(36 characters)`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
  /** JSON whose texts and images are markers, or one marker. Absent without a body. */
  readonly body?: unknown;
}

export type Marker =
  | { readonly kind: ImageKind | "bytes"; readonly bytes: number; readonly sha256: string }
  | { readonly kind: "text"; readonly characters: number }
  | { readonly kind: "number" | "boolean" }
  /** URL. `alias` is the same for the same URL without its query, `origin` for the same origin. */
  | {
      readonly kind: "url";
      readonly scheme: string;
      readonly origin: string;
      readonly alias: string;
      readonly query: readonly string[];
    }
  /** Body that is not JSON, too large to record, or missing in the recording of another tool. */
  | { readonly kind: "html" | "plain" | "json" | "invalid-json" | "other"; readonly bytes: number };

export type ImageKind = "png" | "jpeg" | "webp" | "gif" | "heic";

export function parseExchange(line: string): Exchange {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error("is not JSON");
  }
  const { format, at, method, path, request, endedAfter } = Object(value) as Partial<Exchange>;
  if (format !== 1) throw new Error("is not an exchange of format 1");
  const isComplete =
    typeof at === "number" &&
    typeof method === "string" &&
    typeof path === "string" &&
    typeof request === "object" &&
    typeof endedAfter === "number";
  if (!isComplete) throw new Error("lacks at, method, path, request or endedAfter");
  // A whole URL, or the end of a host name, would send the keys of a replay to another host.
  if (!isPath(path)) {
    throw new Error(
      "has an invalid path: it must begin with one slash and have no control characters",
    );
  }
  // The recorder has written the other fields.
  return value as Exchange;
}

export function markerOf(value: unknown): Marker | undefined {
  if (value === null || typeof value !== "object" || !("kind" in value)) return undefined;
  // The recorder adds `kind` to markers only, and masks it in other objects.
  return value as Marker;
}
