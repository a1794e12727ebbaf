import { expect } from "vitest";

import type {
  AccountResponse,
  PurchaseWithSPTResponse,
  TryOnJobStatus,
  TryOnListResponse,
  TryOnSubmitResponse,
  ValidationError,
} from "@tryon/spec/openapi";
import { createMock, type Mock, type MockOptions } from "../src/mock.ts";
import { checkContract } from "./contract-check.ts";
import { garmentUrl, personUrl } from "./images.ts";

/** A response that fits the contract, so the type of its body is certain. */
export interface ClientResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  /** The `detail` of an error, or "". */
  readonly detail: string;
  /** The problems of a 422. */
  readonly problems: readonly ValidationError[];
}

type Extra = Readonly<Record<string, string>>;

/** A valid body: one person and one garment by URL, asynchronous. */
export function tryOn(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { person_url: personUrl, garment_urls: [garmentUrl], wait: false, ...fields };
}

/** Sends requests to a server and checks each response against the contract. */
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
    return readResponse(mock, { method: init.method ?? "GET", path }, response);
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

/** Creates a server on a manual clock, with a caller for its live key and one without a key. */
export function manualServer(input: MockOptions = {}) {
  const mock = createMock({ clock: "manual", ...input });
  return { mock, call: caller(mock), anonymous: caller(mock, null) };
}

export type Caller = ReturnType<typeof caller>;

/** Submits, waits until the job ends, and polls. */
export async function finished(
  mock: Mock,
  call: Caller,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<TryOnJobStatus> {
  const { body } = await call.submit(fields);
  await mock.clock.advance("2s");
  return (await call.poll(body.job_id)).body;
}

async function readResponse<Body>(
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
    // The schema of the response has just accepted it.
    body: body as Body,
    detail: typeof detail === "string" ? detail : "",
    // The schema of a 422 has just accepted the list.
    problems: Array.isArray(detail) ? (detail as ValidationError[]) : [],
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object";
}
