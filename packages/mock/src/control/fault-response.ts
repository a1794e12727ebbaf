import type { HttpResponse } from "../http/message.ts";
import { html, json, nullBodyStatuses, proxyPage } from "../http/responses.ts";
import type { FaultInput } from "./fault.ts";

const proxyTitles: Readonly<Record<number, string>> = {
  413: "Request Entity Too Large",
  502: "Bad Gateway",
  504: "Gateway Time-out",
  520: "Web server is returning an unknown error",
  521: "Web server is down",
  522: "Connection timed out",
  523: "Origin is unreachable",
  524: "A timeout occurred",
};

const details: Readonly<Record<number, unknown>> = {
  400: "The request is invalid.",
  401: "The API key is missing or unknown.",
  402: "Not enough credits.",
  403: "This key is disabled.",
  404: "Job not found.",
  409: "The idempotency key was used with another body.",
  422: [{ loc: ["body"], msg: "Value error", type: "value_error" }],
  429: "Rate limit exceeded.",
  500: "Server error before the model was reached; nothing was charged.",
  503: "Temporarily unavailable; try again later.",
};

const defaultHeaders: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { "www-authenticate": "Bearer" },
  429: { "retry-after": "1" },
};

export function faultResponse(fault: FaultInput): HttpResponse {
  const status = fault.status ?? 504;
  const response = responseWithBody(fault, status);
  const retryAfter =
    fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
  const headers = { ...defaultHeaders[status], ...retryAfter, ...fault.headers };
  for (const [name, value] of new Headers(headers)) response.headers[name] = value;
  return response;
}

function responseWithBody(fault: FaultInput, status: number): HttpResponse {
  if (nullBodyStatuses.has(status)) return { status, headers: {}, body: null };
  const { body } = fault;
  if (body !== undefined && typeof body !== "string") return json(body, status);
  const isFromProxy =
    fault.html ?? (fault.cutAfter !== undefined || Object.hasOwn(proxyTitles, status));
  if (isFromProxy) {
    return body === undefined
      ? proxyPage(status, proxyTitles[status] ?? "Error")
      : html(body, status);
  }
  if (body === undefined) {
    return json({ detail: details[status] ?? "A fault replaced the response." }, status);
  }
  const headers = { "content-type": isJson(body) ? "application/json" : "text/plain" };
  return { status, headers, body };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
