import { expect } from "vitest";

import type {
  AccountResponse,
  PurchaseWithSPTResponse,
  TryOnJobStatus,
  TryOnListResponse,
  TryOnSubmitResponse,
  ValidationError,
} from "../src/generated/openapi.ts";
import type { Mock } from "../src/mock.ts";
import { checkContract } from "./contract-check.ts";
import { garmentUrl, personUrl } from "./images.ts";

/** An answer whose body has been held against the contract, so that its type is known. */
export interface ClientResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  /** The sentence of an error, or "" where there is none. */
  readonly detail: string;
  /** The problems that a 422 lists. */
  readonly problems: readonly ValidationError[];
}

type Extra = Readonly<Record<string, string>>;

/** A JSON body that is taken: one person and one garment by address, answered at once. */
export function tryOn(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { person_url: personUrl, garment_urls: [garmentUrl], wait: false, ...fields };
}

/** Calls a server as a client would; each answer is held against the contract on the way. */
export function caller(mock: Mock, key: string | null = mock.keys.live) {
  const call = async <Body>(
    path: string,
    init: RequestInit = {},
  ): Promise<ClientResponse<Body>> => {
    const headers = new Headers(init.headers);
    if (key !== null && !headers.has("authorization")) {
      headers.set("authorization", `Bearer ${key}`);
    }
    const response = await mock.fetch(`${mock.baseUrl}${path}`, { ...init, headers });
    return readAnswer(mock, { method: init.method ?? "GET", path }, response);
  };
  const post = <Body = unknown>(path: string, body: unknown, extra: Extra = {}) =>
    call<Body>(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...extra },
      body: JSON.stringify(body),
    });
  return {
    call,
    post,
    get: <Body = unknown>(path: string, extra: Extra = {}) => call<Body>(path, { headers: extra }),
    submit: (fields: Readonly<Record<string, unknown>> = {}, extra: Extra = {}) =>
      post<TryOnSubmitResponse>("/api/v1/tryon", tryOn(fields), extra),
    poll: (jobId: string) => call<TryOnJobStatus>(`/api/v1/tryon/${jobId}`),
    list: (query = "") => call<TryOnListResponse>(`/api/v1/tryon${query}`),
    account: () => call<AccountResponse>("/api/v1/account"),
    purchase: (fields: Readonly<Record<string, unknown>>) =>
      post<PurchaseWithSPTResponse>("/api/v1/credits/purchase", fields),
  };
}

export type Caller = ReturnType<typeof caller>;

/** Submits, lets the model's time pass, and polls. */
export async function finished(
  mock: Mock,
  call: Caller,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<TryOnJobStatus> {
  const { body } = await call.submit(fields);
  await mock.clock.advance("2s");
  return (await call.poll(body.job_id)).body;
}

async function readAnswer<Body>(
  mock: Mock,
  request: { method: string; path: string },
  response: Response,
): Promise<ClientResponse<Body>> {
  expect(response.headers.get("x-mock"), "X-Mock").toMatch(/^tryon-mock\//);
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json" && text !== "";
  const body: unknown = isJson ? JSON.parse(text) : text;
  const { status, headers } = response;
  const [path = ""] = request.path.split("?");
  if (request.method !== "HEAD") {
    checkContract({ ...request, path }, { status, headers, body }, mock.options);
  }
  const detail = isObject(body) ? body["detail"] : undefined;
  return {
    status,
    headers,
    // The contract's schema for this answer has just let it pass.
    body: body as Body,
    detail: typeof detail === "string" ? detail : "",
    // A detail that is a list has just passed the schema of a 422.
    problems: Array.isArray(detail) ? (detail as ValidationError[]) : [],
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object";
}
