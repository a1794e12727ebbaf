import type { State } from "../routes/state.ts";

/** What the server says of a call that it does not carry out, in words for people. */
export class Refused extends Error {}

/** How long, in milliseconds, an answer about the state may take before the server counts as gone. */
const patience = 5_000;

/** Asks for everything that the page shows. */
export async function loadState(query: Readonly<Record<string, string>>): Promise<State> {
  const parameters = new URLSearchParams(query).toString();
  const signal = AbortSignal.timeout(patience);
  const response = await fetch(`/__mock/state?${parameters}`, { signal });
  const state: unknown = await readAnswer(response);
  // Page and server are of one release, so what this address answers with 200 is a state.
  return state as State;
}

/** Has the server do something. */
export async function command(
  path: string,
  body: Readonly<Record<string, unknown>> = {},
  method = "POST",
): Promise<Readonly<Record<string, unknown>>> {
  const sent = method === "POST" ? { body: JSON.stringify(body) } : {};
  const response = await fetch(`/__mock/${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...sent,
  });
  return readAnswer(response);
}

/** Calls the service as any client does. */
export async function submit(
  key: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch("/api/v1/tryon", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return readAnswer(response);
}

/** @throws Refused for any status but 200, with what the answer says. */
async function readAnswer(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const text = await response.text();
  const value = parse(text);
  if (response.ok && value !== undefined) return value;
  throw new Refused(`${response.status}: ${detailOf(value?.["detail"]) ?? response.statusText}`);
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // It is an object of JSON as soon as it is one and not null.
    return typeof value === "object" && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    // A proxy's page, such as a fault may send, is not JSON.
    return undefined;
  }
}

function detailOf(detail: unknown): string | undefined {
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail)) return undefined;
  // The problems of a 422, each with its message and where it is.
  const problems = detail as readonly {
    readonly loc?: readonly unknown[];
    readonly msg?: unknown;
  }[];
  return problems.map(({ loc = [], msg }) => `${loc.join(".")}: ${String(msg)}`).join("; ");
}
