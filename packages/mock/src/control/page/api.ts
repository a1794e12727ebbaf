import type { RequestDetails, Requests } from "../routes/page-routes.ts";
import type { State } from "../routes/state-view.ts";

type JsonObject = Readonly<Record<string, unknown>>;

export function loadState(): Promise<State> {
  return load("state");
}

export interface RequestFilter {
  readonly status: string;
  readonly path: string;
}

export function loadRequests(filter: RequestFilter): Promise<Requests> {
  const query = new URLSearchParams({ ...filter }).toString();
  return load(`requests?${query}`);
}

export function loadRequest(id: string): Promise<RequestDetails> {
  return load(`requests/${encodeURIComponent(id)}`);
}

async function load<View>(path: string): Promise<View> {
  const view: unknown = await send(`/__mock/${path}`, { signal: AbortSignal.timeout(5_000) });
  // Page and server have the same version, so a response with status 200 is the view of its path.
  return view as View;
}

export function command(path: string, body: JsonObject = {}, method = "POST"): Promise<JsonObject> {
  const init = method === "POST" ? { method, body: JSON.stringify(body) } : { method };
  return send(`/__mock/${path}`, init);
}

export function submit(key: string, body: JsonObject): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return send("/api/v1/tryon", { method: "POST", headers, body: JSON.stringify(body) });
}

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
