import { defaults, maxSyncWait } from "../config/options.ts";
import { attempt, type Outcome } from "../http/attempt.ts";
import { Deadline } from "../http/deadline.ts";
import type { AuthorizedRequest } from "./authorize-request.ts";
import {
  buildUpstreamRequest,
  type RequestSettings,
  type UpstreamRequest,
} from "./build-upstream-request.ts";
import { jsonResponse } from "./error-response.ts";
import { mapErrorResponse, responseHeaders } from "./map-error-response.ts";
import type { ProxyError, ProxyUser } from "./options.ts";
import type { Upstream } from "./resolve-options.ts";

/** Forwards an authorized request to the service, and converts its response for the user. */
export async function handleRequest<User extends ProxyUser>(
  id: string,
  authorized: AuthorizedRequest<User>,
  settings: RequestSettings<User>,
  report: (error: ProxyError) => void,
): Promise<Response> {
  const { upstream } = settings;
  const upstreamRequest = await buildUpstreamRequest(id, authorized, settings);
  if (upstreamRequest instanceof Response) return upstreamRequest;
  const outcome = await sendUpstream(upstream, upstreamRequest);
  const { response } = outcome;
  const now = upstream.clock.now();
  const isSuccess = response && response.status >= 200 && response.status < 300;
  const content = isSuccess ? await upstreamRequest.convert(response.content) : undefined;
  if (response && content) return jsonResponse(200, content, responseHeaders(response, now));
  const { userId, call } = authorized;
  const mapped = mapErrorResponse(outcome, call.kind, upstream.redact, now);
  if (mapped.error !== undefined) {
    report({ message: mapped.error, user: userId, status: response?.status });
  }
  return mapped.response;
}

/** Sends a request once, with the API key and only these headers. The client in the page retries. */
async function sendUpstream(
  { baseUrl, apiKey, fetch, clock }: Upstream,
  { method, path, body, idempotencyKey, signal }: UpstreamRequest,
): Promise<Outcome> {
  const headers: Record<string, string> = {
    Accept: "application/json",
    Authorization: `Bearer ${apiKey}`,
  };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey;
  const timeout = defaults.attemptTimeout + (idempotencyKey === undefined ? 0 : maxSyncWait);
  const deadline = new Deadline(clock, Number.POSITIVE_INFINITY, signal);
  try {
    const request = { method, url: `${baseUrl}${path}`, headers, body, timeout };
    return await attempt(fetch, request, deadline);
  } finally {
    deadline.close();
  }
}
