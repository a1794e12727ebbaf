import type { RequestDetails, Requests } from "../routes/page-routes.ts";
import type { State } from "../routes/state-view.ts";

type JsonObject = Readonly<Record<string, unknown>>;

export async function loadState(): Promise<State> {
  const state: unknown = await send("/__mock/state", { signal: AbortSignal.timeout(5_000) });
  // Page and server have the same version, so a response with status 200 is a state.
  return state as State;
}

/** Filter of the requests that the page shows; empty texts pass all. */
export interface RequestFilter {
  readonly status: string;
  readonly path: string;
}

export async function loadRequests(filter: RequestFilter): Promise<Requests> {
  const query = new URLSearchParams({ ...filter }).toString();
  const requests: unknown = await send(`/__mock/requests?${query}`, {
    signal: AbortSignal.timeout(5_000),
  });
  // As for the state.
  return requests as Requests;
}

export async function loadRequest(id: string): Promise<RequestDetails> {
  const details: unknown = await send(`/__mock/requests/${encodeURIComponent(id)}`, {});
  // As for the state.
  return details as RequestDetails;
}

export function command(path: string, body: JsonObject = {}, method = "POST"): Promise<JsonObject> {
  const init = method === "POST" ? { method, body: JSON.stringify(body) } : { method };
  return send(`/__mock/${path}`, init);
}

/** Submits a try-on with a request like that of any client. */
export function submit(key: string, body: JsonObject): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return send("/api/v1/tryon", { method: "POST", headers, body: JSON.stringify(body) });
}

/** @throws Error with a text for the user if the response has an error status or is not a JSON object. */
async function send(path: string, init: RequestInit): Promise<JsonObject> {
  const response = await fetch(path, init).catch((cause: unknown) => {
    throw new Error("The server could not be reached, or closed the connection.", { cause });
  });
  // A fault may cut the body off, or respond with the HTML page of a proxy.
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && isObject(body)) return body;
  const detail = isObject(body) ? body["detail"] : response.statusText;
  const text = typeof detail === "string" ? detail : JSON.stringify(detail);
  throw new Error(`${response.status}: ${text}`);
}

function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === "object";
}
