import { fieldsOf, type Fields } from "../../src/wire/response.ts";
import type { Fetch, Mutant } from "./mutant.ts";

type Handler = (request: Request, real: Fetch) => Promise<Response>;

/** Handles every request before the server. */
export function intercepted(handler: Handler): Mutant["plant"] {
  return (mock) => (input, init) => handler(new Request(input, init), mock.fetch);
}

/** Changes fields of JSON requests to a path. A field that is undefined is removed. */
export function changedFields(
  path: string,
  change: (fields: Fields) => Fields,
  method = "POST",
): Mutant["plant"] {
  return intercepted(async (request, real) => {
    if (!isFor(request, method, path)) return real(request);
    const text = await request.text();
    const fields = parsed(text);
    const body = fields === undefined ? text : JSON.stringify({ ...fields, ...change(fields) });
    return real(withBody(request, body));
  });
}

/** Changes fields of submissions. */
export function changedSubmission(change: (fields: Fields) => Fields): Mutant["plant"] {
  return changedFields("/api/v1/tryon", change);
}

/** Changes responses. */
export function changedResponse(
  fits: (request: Request, response: Response) => boolean,
  change: (response: Response, request: Request) => Promise<Response> | Response,
): Mutant["plant"] {
  return intercepted(async (request, real) => {
    const response = await real(request.clone());
    return fits(request, response) ? change(response, request) : response;
  });
}

/** Replaces the fields of JSON responses. */
export function changedJson(
  fits: (request: Request, response: Response) => boolean,
  change: (fields: Fields, request: Request) => unknown,
): Mutant["plant"] {
  return changedResponse(fits, async (response, request) => {
    const fields = fieldsOf(await response.json());
    return responseLike(response, JSON.stringify(change(fields, request)));
  });
}

/** Chooses responses with a status. */
export function hasStatus(status: number) {
  return (_request: Request, response: Response): boolean => response.status === status;
}

export function isFor(request: Request, method: string, path: string): boolean {
  return request.method === method && new URL(request.url).pathname === path;
}

/** A response with the headers of another one. */
export function responseLike(
  { headers, status }: Response,
  body: string | null,
  changes: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const all = new Headers(headers);
  for (const [name, value] of Object.entries(changes.headers ?? {})) all.set(name, value);
  return new Response(body, { status: changes.status ?? status, headers: all });
}

export function withBody(request: Request, body: string): Request {
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body });
}

/** A request with another URL or other headers. */
export function requestLike(
  request: Request,
  changes: { readonly url?: string; readonly headers?: Readonly<Record<string, string>> },
): Request {
  const copy = new Request(changes.url ?? request.url, request);
  for (const [name, value] of Object.entries(changes.headers ?? {})) copy.headers.set(name, value);
  return copy;
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
    return isObject ? fieldsOf(value) : undefined;
  } catch {
    return undefined;
  }
}
