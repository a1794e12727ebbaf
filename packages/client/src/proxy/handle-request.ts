import { defaults, maxSyncWait } from "../config/options.ts";
import type { Outcome } from "../http/attempt-log.ts";
import { attempt } from "../http/send-with-retries.ts";
import { FetchTransport } from "../http/fetch-transport.ts";
import { Deadline } from "../http/deadline.ts";
import { buildUpstreamRequest, type UpstreamRequest } from "./build-upstream-request.ts";
import { jsonResponse, mapErrorResponse, responseHeaders } from "./error-response.ts";
import type { ProxyCall, ProxyError } from "./options.ts";
import type { ProxySettings, RequestSettings } from "./resolve-options.ts";

/** Forwards an authorized request to the service, and converts its response for the user. */
export async function handleRequest(
  call: ProxyCall,
  id: string,
  settings: ProxySettings,
  report: (error: ProxyError) => void,
): Promise<Response> {
  const requestSettings = { ...settings, ...(await settings.upstream()) };
  const request = await buildUpstreamRequest(call, id, requestSettings);
  if (request instanceof Response) return request;
  const outcome = await sendUpstream(request, call, requestSettings);
  const { response } = outcome;
  const now = settings.clock.now();
  const content = response?.response.ok && (await request.convert(response.content));
  if (response && content) return jsonResponse(200, content, responseHeaders(response, now));
  return mapErrorResponse(outcome, call.kind, requestSettings.redact, now, (message) =>
    report({ message, user: call.user.id, status: response?.status }),
  );
}

/** Sends a request once, with only these headers and the API key. The client in the page retries. */
async function sendUpstream(
  { path, fields, idempotencyKey }: UpstreamRequest,
  { kind, request }: ProxyCall,
  { fetch = globalThis.fetch, clock, baseUrl, apiKey }: RequestSettings,
): Promise<Outcome> {
  const { method } = request;
  const headers: Record<string, string> = { Accept: "application/json" };
  if (fields) headers["Content-Type"] = "application/json";
  if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey;
  const body = fields && JSON.stringify(fields);
  const timeout = defaults.attemptTimeout + (kind === "submit" ? maxSyncWait : 0);
  // A request that can be charged is not canceled when the client closes it.
  const signal = method === "GET" ? request.signal : undefined;
  const deadline = new Deadline(clock, Number.POSITIVE_INFINITY, signal);
  const transport = new FetchTransport({ fetch, middleware: [], baseUrl, apiKey });
  try {
    const upstreamRequest = { method, url: `${baseUrl}${path}`, headers, body, timeout };
    const purpose = kind === "submit" || kind === "purchase" ? kind : "read";
    return await attempt(transport, upstreamRequest, deadline, { attempt: 1, purpose });
  } finally {
    deadline.close();
  }
}
