import { Agent, request, type IncomingHttpHeaders } from "node:http";

/** What came back over HTTP. */
export interface LoadAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is sent besides method and path. */
export interface LoadCall {
  /** The API key; the caller's own when left out. */
  readonly key?: string;
  readonly idempotencyKey?: string;
  /** Sent as JSON; a text is sent as it stands. */
  readonly body?: unknown;
}

/**
 * Calls a server of this machine over at most so many connections at once, which it keeps. A call that gets no whole
 * answer rejects, so none is lost without a word.
 */
export function loadCaller(base: string, key: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let open = 0;
  const counts = { sent: 0, mostConnections: 0 };
  const send = (method: "GET" | "POST", path: string, call: LoadCall = {}): Promise<LoadAnswer> =>
    new Promise((resolve, reject) => {
      counts.sent += 1;
      const { idempotencyKey, body } = call;
      const headers = {
        authorization: `Bearer ${call.key ?? key}`,
        ...(method === "POST" && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      };
      const sending = request(`${base}${path}`, { agent, method, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject);
        response.once("end", () => {
          const text = Buffer.concat(parts).toString("utf8");
          const { statusCode: status = 0, headers: got } = response;
          resolve({ status, headers: got, body: objectIn(text) });
        });
      });
      sending.once("error", reject);
      sending.once("socket", (socket) => {
        if (socket.listenerCount("close", left) > 0) return;
        open += 1;
        counts.mostConnections = Math.max(counts.mostConnections, open);
        socket.once("close", left);
      });
      sending.end(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));
    });
  const left = (): void => {
    open -= 1;
  };
  return { send, counts, close: () => agent.destroy() };
}

/** Every address that is called here answers with an object of JSON; what is none has no properties to be right. */
function objectIn(text: string): LoadAnswer["body"] {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? { ...value } : {};
  } catch {
    return {};
  }
}

export type LoadCaller = ReturnType<typeof loadCaller>;

/** Does pieces of work, so many of them at a time, until all are done or one has failed. */
export async function together(
  count: number,
  atATime: number,
  work: (number: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) await work(number);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}
