import { markerOf, type Exchange } from "../record/exchange.ts";
import { operationOf, packs } from "../wire/document.ts";
import { fieldsOf, type Fields } from "../wire/response.ts";

export interface Seen {
  readonly exchange: Exchange;
  /** File and line, such as `session.ndjson:12`. */
  readonly place: string;
  /** Method and path template of the document, such as `GET /api/v1/tryon/{job_id}`, or undefined for another path. */
  readonly operation: string | undefined;
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly key: string | null;
  readonly status: number;
  readonly sent: Fields;
  readonly got: Fields;
  readonly requestHeaders: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Times of the client in milliseconds since 1970: before the request, and after the headers of the response. */
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly isHtml: boolean;
}

export function seenOf(exchange: Exchange, place: string): Seen | undefined {
  const { request, response, method, path, at, key } = exchange;
  if (response === undefined) return undefined;
  const [pathname = "", search = ""] = path.split("?");
  const type = response.headers["content-type"] ?? "";
  return {
    exchange,
    place,
    operation: operationOf(method, pathname)?.title,
    pathname,
    query: new URLSearchParams(search),
    key,
    status: response.status,
    sent: fieldsOf(request.body),
    got: markerOf(response.body) ? {} : fieldsOf(response.body),
    requestHeaders: request.headers,
    headers: response.headers,
    sentAt: at,
    answeredAt: at + response.headersAfter,
    isHtml: type.startsWith("text/html"),
  };
}

export const submitOperation = "POST /api/v1/tryon";
export const pollOperation = "GET /api/v1/tryon/{job_id}";
export const listOperation = "GET /api/v1/tryon";

/** Length of a recorded text, or undefined for another value. A text in base64 has up to 2 characters more. */
export function lengthOf(value: unknown): number | undefined {
  if (typeof value === "string") return value.length;
  const marker = markerOf(value);
  if (marker === undefined) return undefined;
  if (marker.kind === "text") return marker.characters;
  return "sha256" in marker ? Math.ceil((marker.bytes * 4) / 3) : undefined;
}

export interface SeenJob {
  readonly key: string | null;
  /** Time before its submission, or undefined if that was not recorded. */
  readonly submittedAt: number | undefined;
  readonly size: string | undefined;
  readonly hasSeed: boolean | undefined;
  cost: number | undefined;
  readonly isTest: boolean;
  /** Time of the first response with its end, and that status. */
  ended?: { readonly at: number; readonly status: unknown; readonly blocked: boolean };
}

export function isSubmit({ operation }: Seen): boolean {
  return operation === submitOperation;
}

export function isPurchase({ operation }: Seen): boolean {
  return operation === "POST /api/v1/credits/purchase";
}

export function isPack(slug: unknown): slug is keyof typeof packs {
  return typeof slug === "string" && slug in packs;
}

export function sentType({ requestHeaders }: Seen): string {
  return (requestHeaders["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

export function refusal({ status }: Pick<Seen, "status">): readonly number[] | undefined {
  return status === 400 || status === 422 ? [status] : undefined;
}

export function limitAlone({ operation, query }: Seen): number | undefined {
  const limit = query.get("limit") ?? "";
  const isAlone = [...query].length === 1 && /^\d{1,9}$/.test(limit);
  return operation === listOperation && isAlone ? Number(limit) : undefined;
}
