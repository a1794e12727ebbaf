import { once } from "node:events";
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";

/** HTTP response with a JSON object. */
export interface LoadResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Options of a request. */
export interface LoadRequest {
  /** API key, by default that of the client. */
  readonly key?: string;
  readonly idempotencyKey?: string;
  /** Body as an object, or as text. */
  readonly body?: unknown;
}

/** Creates an HTTP client with up to `maxConnections` connections. An incomplete response rejects. */
export function loadClient(baseUrl: string, clientKey: string, maxConnections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: maxConnections });
  const counts = { sent: 0, maxConnections: 0 };
  const send = async (
    method: "GET" | "POST",
    path: string,
    { key = clientKey, idempotencyKey, body }: LoadRequest = {},
  ): Promise<LoadResponse> => {
    counts.sent += 1;
    const headers = {
      authorization: `Bearer ${key}`,
      ...(method === "POST" && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    };
    const outgoing = request(`${baseUrl}${path}`, { agent, method, headers });
    outgoing.end(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));
    // The event has exactly one argument.
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    const inUse = Object.values(agent.sockets).flat().length;
    counts.maxConnections = Math.max(counts.maxConnections, inUse);
    const { statusCode: status = 0, headers: received } = response;
    // Every requested endpoint returns a JSON object.
    const content = (await json(response)) as LoadResponse["body"];
    return { status, headers: received, body: content };
  };
  return { send, counts, close: () => agent.destroy() };
}

export type LoadClient = ReturnType<typeof loadClient>;

/** Runs `count` tasks with a concurrency limit, until all are done or one fails. */
export async function runConcurrently(
  count: number,
  concurrency: number,
  task: (number: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) await task(number);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
