import type { State } from "../routes/state-view.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** An error whose message the page shows to the user, such as an error response of the server. */
export class NoticeError extends Error {}

const pollTimeout = 5_000;

/** Loads everything that the page shows. */
export async function loadState(status: string, jobId: string): Promise<State> {
  const query = new URLSearchParams({ ...(status && { status }), ...(jobId && { job: jobId }) });
  const signal = AbortSignal.timeout(pollTimeout);
  const state: unknown = await readResponse(await fetch(`/__mock/state?${query}`, { signal }));
  // Page and server have the same version, so a response with status 200 is a state.
  return state as State;
}

/** Sends a command to the control API. */
export async function command(
  path: string,
  body: JsonObject = {},
  method = "POST",
): Promise<JsonObject> {
  const init = method === "POST" ? { method, body: JSON.stringify(body) } : { method };
  return readResponse(await fetch(`/__mock/${path}`, init));
}

/** Submits a try-on with a request like that of any client. */
export async function submit(key: string, body: JsonObject): Promise<JsonObject> {
  const response = await fetch("/api/v1/tryon", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return readResponse(response);
}

/** @throws NoticeError for an error status or a body that is not a JSON object. */
async function readResponse(response: Response): Promise<JsonObject> {
  const body = parse(await response.text());
  if (response.ok && body !== undefined) return body;
  throw new NoticeError(
    `${response.status}: ${detailText(body?.["detail"]) ?? response.statusText}`,
  );
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Objects of JSON have string keys.
    return typeof value === "object" && value !== null ? (value as JsonObject) : undefined;
  } catch {
    // A fault may respond with the HTML page of a proxy.
    return undefined;
  }
}

function detailText(detail: unknown): string | undefined {
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail)) return undefined;
  // A 422 lists its problems, each with a message and a location.
  const problems = detail as readonly {
    readonly loc?: readonly unknown[];
    readonly msg?: unknown;
  }[];
  return problems.map(({ loc = [], msg }) => `${loc.join(".")}: ${String(msg)}`).join("; ");
}
