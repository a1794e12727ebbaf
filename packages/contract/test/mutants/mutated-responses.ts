import type { Mock } from "@tryon/mock";

import { elementsOf, fieldsOf, type Fields } from "../../src/wire/response.ts";
import type { Mutant } from "./mutant.ts";

/** A request on its way to the server. */
export interface MutatedRequest {
  readonly method: string;
  readonly url: URL;
  readonly token: string;
  /** Fields of a JSON body. */
  readonly body: Fields;
  /** Forwards the request, or one with other fields, another URL or another key. */
  readonly send: (other?: {
    readonly body?: Fields;
    readonly url?: URL;
    readonly token?: string;
  }) => Promise<Response>;
}

/** Changes a server by a function that handles each request. */
export function mutated(
  make: (mock: Mock) => (request: MutatedRequest) => Promise<Response>,
): Mutant["plant"] {
  return (mock) => {
    const handle = make(mock);
    return async (input, init) => {
      const request = new Request(input, init);
      const url = new URL(request.url);
      if (url.pathname.startsWith("/__mock/")) return mock.fetch(request);
      const text = request.method === "POST" ? await request.clone().text() : "";
      const token = (request.headers.get("authorization") ?? "").replace("Bearer ", "");
      const send: MutatedRequest["send"] = async (other = {}) => {
        const headers = new Headers(request.headers);
        if (other.token !== undefined) headers.set("authorization", `Bearer ${other.token}`);
        const body = other.body === undefined ? text : JSON.stringify(other.body);
        return mock.fetch((other.url ?? url).href, {
          method: request.method,
          headers,
          ...(request.method === "POST" && { body }),
        });
      };
      return handle({ method: request.method, url, token, body: fieldsOf(parsed(text)), send });
    };
  };
}

export function isSubmit({ method, url }: MutatedRequest): boolean {
  return method === "POST" && url.pathname === "/api/v1/tryon";
}

export function isPoll({ method, url }: MutatedRequest): boolean {
  return method === "GET" && url.pathname.startsWith("/api/v1/tryon/");
}

export function isList({ method, url }: MutatedRequest): boolean {
  return method === "GET" && url.pathname === "/api/v1/tryon";
}

export function isResult({ url }: MutatedRequest): boolean {
  return url.pathname.startsWith("/results/");
}

/** Id of the job in the URL of a poll or a result. */
export function jobIdIn({ url }: MutatedRequest): string {
  return /job_[a-zA-Z0-9]+/.exec(url.pathname)?.[0] ?? "";
}

/** Id of the job in the response to a submission. Empty for a refusal. */
export async function jobIdOf(response: Response): Promise<string> {
  const { job_id: jobId } = fieldsOf(await response.clone().json());
  return typeof jobId === "string" ? jobId : "";
}

/** Changes fields of a response. A field that is undefined is removed. */
export async function withFields(
  response: Response,
  change: (fields: Fields) => Fields,
): Promise<Response> {
  if (response.status !== 200) return response;
  const fields = fieldsOf(await response.json());
  const body = JSON.stringify({ ...fields, ...change(fields) });
  return new Response(body, { headers: headersOf(response) });
}

/** Replaces the body of a response. */
export function withBytes(response: Response, bytes: Uint8Array<ArrayBuffer>): Response {
  return new Response(bytes, { headers: headersOf(response) });
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

function headersOf({ headers }: Response): Headers {
  const kept = new Headers(headers);
  kept.delete("content-length");
  return kept;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
