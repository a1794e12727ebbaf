import type { Mock } from "@tryon/mock";

import { elementsOf, fieldsOf, type Fields } from "../../src/wire/response.ts";
import { parseJson } from "../../src/wire/send.ts";
import type { Fetch, Mutant } from "./mutant.ts";

type HeaderChanges = Readonly<Record<string, string | null>>;

/** A request on its way to the server. */
export interface MutatedRequest {
  readonly method: string;
  readonly url: URL;
  readonly path: string;
  readonly headers: Headers;
  /** API key, or an empty text. */
  readonly token: string;
  readonly idempotencyKey: string | undefined;
  readonly text: string;
  /** Fields of a JSON body. */
  readonly body: Fields;
  /** Forwards the request, or one with other fields, another URL, another key or other headers. */
  readonly send: (changed?: {
    readonly body?: unknown;
    readonly url?: URL;
    readonly token?: string;
    readonly headers?: HeaderChanges;
  }) => Promise<Response>;
}

export type Tamper = (request: MutatedRequest) => Promise<Response>;

/** Server behind a proxy that changes requests and responses. */
export function tampered(mock: Mock, tamper: Tamper): Fetch {
  return async (resource, init) => {
    const request = new Request(resource, init);
    const { method, signal, redirect } = request;
    const url = new URL(request.url);
    const text = await request.clone().text();
    return tamper({
      method,
      url,
      path: url.pathname,
      headers: request.headers,
      token: (request.headers.get("authorization") ?? "").replace(/^bearer /i, ""),
      idempotencyKey: request.headers.get("idempotency-key") ?? undefined,
      text,
      body: fieldsOf(parseJson(text)),
      send: ({ token, headers = {}, body, url: target = url } = {}) => {
        const authorization = token !== undefined && { authorization: `Bearer ${token}` };
        const content = body === undefined ? text : JSON.stringify(body);
        const hasBody = method !== "GET" && method !== "HEAD" && content !== "";
        return mock.fetch(target.href, {
          method,
          headers: changedHeaders(request.headers, { ...authorization, ...headers }),
          signal,
          redirect,
          ...(hasBody && { body: content }),
        });
      },
    });
  };
}

/** Changes a server by a function that handles each request. */
export function mutated(make: (mock: Mock) => Tamper): Mutant["plant"] {
  return (mock) => tampered(mock, make(mock));
}

export function isSubmit({ method, path }: MutatedRequest): boolean {
  return method === "POST" && path === "/api/v1/tryon";
}

export function isPoll({ method, path }: MutatedRequest): boolean {
  return method === "GET" && path.startsWith("/api/v1/tryon/");
}

export function isList({ method, path }: MutatedRequest): boolean {
  return method === "GET" && path === "/api/v1/tryon";
}

export function isResult({ path }: MutatedRequest): boolean {
  return path.startsWith("/results/");
}

/** If true, a request reads or makes keys with the control API. */
export function makesKey({ path }: MutatedRequest): boolean {
  return /^\/__mock\/(keys|tenants)$/.test(path);
}

/** Id of the job in the URL of a poll or a result. */
export function jobIdIn({ path }: MutatedRequest): string {
  return /job_[a-zA-Z0-9]+/.exec(path)?.[0] ?? "";
}

/** Id of the job in the response to a submission. Empty for a refusal. */
export async function jobIdOf(response: Response): Promise<string> {
  const { job_id: jobId } = await fieldsIn(response);
  return typeof jobId === "string" ? jobId : "";
}

/** Fields of a response, which can be read again. */
export async function fieldsIn(response: Response): Promise<Fields> {
  return fieldsOf(parseJson(await response.clone().text()));
}

/** Response with other fields, another status or other headers. A field that is undefined is removed. */
export async function rewritten(
  response: Response,
  {
    fields = {},
    status = response.status,
    headers = {},
  }: {
    readonly fields?: Fields | ((fields: Fields) => Fields);
    readonly status?: number;
    readonly headers?: HeaderChanges;
  },
): Promise<Response> {
  const known = await fieldsIn(response);
  const more = typeof fields === "function" ? fields(known) : fields;
  const all = changedHeaders(response.headers, { "content-length": null, ...headers });
  return new Response(JSON.stringify({ ...known, ...more }), { status, headers: all });
}

/** Changes fields of a response with 200. */
export async function withFields(
  response: Response,
  fields: (fields: Fields) => Fields,
): Promise<Response> {
  return response.status === 200 ? rewritten(response, { fields }) : response;
}

/** Replaces the body of a response. */
export function withBytes({ headers }: Response, bytes: Uint8Array<ArrayBuffer>): Response {
  return new Response(bytes, { headers: changedHeaders(headers, { "content-length": null }) });
}

/** Refusal of the service. */
export function refusal(
  status: number,
  detail = "Refused by a mutant.",
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ detail }, { status, headers });
}

/** Changes the fields of responses, unless `change` returns undefined. */
export function changedFields(
  change: (fields: Fields, request: MutatedRequest, response: Response) => Fields | undefined,
): Mutant["plant"] {
  return mutated(() => async (request) => {
    const response = await request.send();
    const fields = change(await fieldsIn(response), request, response);
    return fields === undefined ? response : rewritten(response, { fields });
  });
}

/** Changes fields of responses to submissions. */
export function submissions(
  change: (fields: Fields, request: MutatedRequest) => Fields,
): Mutant["plant"] {
  return mutated(() => async (request) => {
    const response = await request.send();
    if (!isSubmit(request)) return response;
    return withFields(response, (fields) => change(fields, request));
  });
}

/** Changes fields of jobs in polls and in the list. */
export function jobs(change: (job: Fields, mock: Mock) => Fields): Mutant["plant"] {
  return mutated((mock) => async (request) => {
    const response = await request.send();
    return changeJobs(request, response, (job) => change(job, mock));
  });
}

/** Changes fields of the jobs of a response to a poll or a list. */
export async function changeJobs(
  request: MutatedRequest,
  response: Response,
  change: (job: Fields) => Fields,
): Promise<Response> {
  if (isPoll(request)) return withFields(response, change);
  if (!isList(request)) return response;
  return withFields(response, (page) => ({
    jobs: elementsOf(page["jobs"])
      .map(fieldsOf)
      .map((job) => ({ ...job, ...change(job) })),
  }));
}

function changedHeaders(headers: Headers, changes: HeaderChanges): Headers {
  const all = new Headers(headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) all.delete(name);
    else all.set(name, value);
  }
  return all;
}
