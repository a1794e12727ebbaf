import type { Mock } from "@tryon/mock";

import { elementsOf, fieldsOf, type Fields } from "../../src/wire/response.ts";
import { parseJson } from "../../src/wire/send.ts";

export type Fetch = typeof globalThis.fetch;

type RequestKind = keyof typeof kinds;
type HeaderChanges = Readonly<Record<string, string | null>>;

const kinds = {
  submit: /^POST \/api\/v1\/tryon$/,
  poll: /^GET \/api\/v1\/tryon\//,
  list: /^GET \/api\/v1\/tryon$/,
  result: /^\S+ \/results\//,
  account: /^GET \/api\/v1\/account$/,
  purchase: /^POST \/api\/v1\/credits\/purchase$/,
  discovery: /^GET \/api\/discovery$/,
  description: /^GET \/api\/v1\/openapi.json$/,
  "make-key": /^POST \/__mock\/(keys|tenants)$/,
  "next-job": /^POST \/__mock\/next-job$/,
  journal: /^GET \/__mock\/journal$/,
  ledger: /^GET \/__mock\/ledger$/,
};

export interface MutatedRequest {
  readonly kind: RequestKind | undefined;
  readonly method: string;
  readonly url: URL;
  readonly path: string;
  readonly headers: Headers;
  readonly token: string;
  readonly idempotencyKey: string | undefined;
  readonly text: string;
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

export interface Upstream {
  readonly mock: Mock;
  readonly notes: Set<string>;
  /** Changes the balance that a key shows from now on. */
  readonly addCredits: (token: string, credits: number) => void;
}

export type Change = (upstream: Upstream) => Tamper;

export function tampered(mock: Mock, tamper: Tamper): Fetch {
  return async (resource, init) => {
    const request = new Request(resource, init);
    const { method, signal, redirect } = request;
    const url = new URL(request.url);
    const text = await request.clone().text();
    return tamper({
      kind: kindOf(`${method} ${url.pathname}`),
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

function kindOf(endpoint: string): RequestKind | undefined {
  // The keys of the table have this type.
  const all = Object.entries(kinds) as [RequestKind, RegExp][];
  return all.find(([, pattern]) => pattern.test(endpoint))?.[0];
}

export function jobIdIn({ path }: MutatedRequest): string {
  return /job_[a-zA-Z0-9]+/.exec(path)?.[0] ?? "";
}

export async function jobIdOf(response: Response): Promise<string> {
  const { job_id: jobId } = await fieldsIn(response);
  return typeof jobId === "string" ? jobId : "";
}

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
    readonly fields?: Fields;
    readonly status?: number;
    readonly headers?: HeaderChanges;
  },
): Promise<Response> {
  const known = await fieldsIn(response);
  const all = changedHeaders(response.headers, { "content-length": null, ...headers });
  return new Response(JSON.stringify({ ...known, ...fields }), { status, headers: all });
}

export async function withFields(
  response: Response,
  change: (fields: Fields) => Fields | undefined,
): Promise<Response> {
  const fields = response.status === 200 ? change(await fieldsIn(response)) : undefined;
  return fields ? rewritten(response, { fields }) : response;
}

export function withBytes({ headers }: Response, bytes: Uint8Array<ArrayBuffer>): Response {
  return new Response(bytes, { headers: changedHeaders(headers, { "content-length": null }) });
}

export function refusal(
  status: number,
  detail = "Refused by a mutant.",
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ detail }, { status, headers });
}

type SetFields = (
  fields: Fields,
  request: MutatedRequest,
  upstream: Upstream,
) => Fields | undefined;

/** Fields to set: always, by a function, or where other fields have these values. One that is undefined is removed. */
type Patch = readonly [set: Fields | SetFields] | readonly [where: Fields, set: Fields];

function setterOf([first, second]: Patch): SetFields {
  if (typeof first === "function") return first;
  if (second === undefined) return () => first;
  const where = Object.entries(first);
  return (fields) => (where.every(([name, value]) => fields[name] === value) ? second : undefined);
}

/** Replaces responses, unless `change` returns undefined. */
export function responses(
  change: (
    response: Response,
    request: MutatedRequest,
    upstream: Upstream,
  ) => Response | Promise<Response | undefined> | undefined,
): Change {
  return (upstream) => async (request) => {
    const response = await request.send();
    return (await change(response, request, upstream)) ?? response;
  };
}

/** Changes fields of responses with a status, or with 200 to requests of a kind. */
export function patched(when: RequestKind | number, ...patch: Patch): Change {
  const set = setterOf(patch);
  return responses(async (response, request, upstream) => {
    const { status } = response;
    if (status !== when && (status !== 200 || request.kind !== when)) return undefined;
    const fields = set(await fieldsIn(response), request, upstream);
    return fields && rewritten(response, { fields });
  });
}

export function jobs(...patch: Patch): Change {
  const set = setterOf(patch);
  return responses((response, request, upstream) =>
    changeJobs(request, response, (job) => set(job, request, upstream)),
  );
}

export async function changeJobs(
  { kind }: MutatedRequest,
  response: Response,
  change: (job: Fields) => Fields | undefined,
): Promise<Response> {
  if (kind === "poll") return withFields(response, change);
  if (kind !== "list") return response;
  return withFields(response, (page) => ({
    jobs: elementsOf(page["jobs"])
      .map(fieldsOf)
      .map((job) => ({ ...job, ...change(job) })),
  }));
}

export function sent(path: string, ...patch: Patch): Change {
  const set = setterOf(patch);
  return (upstream) => (request) => {
    const { method, body, send } = request;
    // Other bodies than JSON objects have no fields.
    const isChanged = method === "POST" && request.path === path && Object.keys(body).length > 0;
    return send(isChanged ? { body: { ...body, ...set(body, request, upstream) } } : {});
  };
}

export function submitted(...patch: Patch): Change {
  return sent("/api/v1/tryon", ...patch);
}

function changedHeaders(headers: Headers, changes: HeaderChanges): Headers {
  const all = new Headers(headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) all.delete(name);
    else all.set(name, value);
  }
  return all;
}
