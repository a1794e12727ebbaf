import type { Mock } from "@tryon/mock";

import { elementsOf, fieldsOf, type Fields } from "../../src/wire/response.ts";
import type { Mutant } from "./mutant.ts";

/** One call as a deviation sees it. */
export interface MutatedRequest {
  readonly method: string;
  readonly url: URL;
  readonly token: string;
  /** The fields of its body, where that is JSON. */
  readonly body: Fields;
  /** Sends it on as it came, or with other fields, another address or another key. */
  readonly send: (other?: {
    readonly body?: Fields;
    readonly url?: URL;
    readonly token?: string;
  }) => Promise<Response>;
}

/** Makes a deployment of a function that answers one call. */
export function mutated(
  make: (mock: Mock) => (call: MutatedRequest) => Promise<Response>,
): Mutant["plant"] {
  return (mock) => {
    const answer = make(mock);
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
      return answer({ method: request.method, url, token, body: fieldsOf(parsed(text)), send });
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

/** The job that a poll or the address of a result is about. */
export function jobIdIn({ url }: MutatedRequest): string {
  return /job_[a-zA-Z0-9]+/.exec(url.pathname)?.[0] ?? "";
}

/** The job that a submission was answered with; empty for a refusal. */
export async function jobIdOf(response: Response): Promise<string> {
  const { job_id: jobId } = fieldsOf(await response.clone().json());
  return typeof jobId === "string" ? jobId : "";
}

/** An answer with other fields. */
export async function withFields(
  response: Response,
  change: (fields: Fields) => Fields,
): Promise<Response> {
  if (response.status !== 200) return response;
  const fields = fieldsOf(await response.json());
  return new Response(JSON.stringify(change(fields)), { headers: headersOf(response) });
}

/** An answer with another body. */
export function withBytes(response: Response, bytes: Uint8Array<ArrayBuffer>): Response {
  return new Response(bytes, { headers: headersOf(response) });
}

/** Changes the answers to submissions. */
export function submissions(
  change: (fields: Fields, call: MutatedRequest, mock: Mock) => Fields,
): Mutant["plant"] {
  return mutated((mock) => async (call) => {
    const response = await call.send();
    return isSubmit(call) ? withFields(response, (fields) => change(fields, call, mock)) : response;
  });
}

/** Changes jobs as polls and the list show them. */
export function jobs(change: (job: Fields, mock: Mock) => Fields): Mutant["plant"] {
  return mutated((mock) => async (call) => {
    const response = await call.send();
    if (isPoll(call)) return withFields(response, (job) => change(job, mock));
    if (!isList(call)) return response;
    return withFields(response, (page) => ({
      ...page,
      jobs: elementsOf(page["jobs"]).map((job) => change(fieldsOf(job), mock)),
    }));
  });
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
