import type { ServerResponse } from "node:http";

import type { HttpResponse } from "../http/message.ts";
import { turn } from "../system/host.ts";

let nextTurn: Promise<void> | undefined;

export async function sendResponse(
  outgoing: ServerResponse,
  { status, headers, body, truncateAt = Infinity }: HttpResponse,
): Promise<void> {
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] ?? "");
  if (body === null || outgoing.req.method === "HEAD") {
    outgoing.writeHead(status, list).end();
    return;
  }
  if (body instanceof ReadableStream) return sendStream(outgoing.writeHead(status, list), body);
  const length = Buffer.byteLength(body);
  if (headers["content-length"] === undefined) list.push("content-length", String(length));
  // Responses that are ready in one turn of the event loop are sent together. A client that falls asleep in between has to
  // be woken for each of them, which costs more than the response.
  await (nextTurn ??= turn().finally(() => (nextTurn = undefined)));
  outgoing.writeHead(status, list);
  if (truncateAt >= length) {
    // Headers and body in one write.
    outgoing.end(body);
    return;
  }
  const sent = Buffer.from(body).subarray(0, truncateAt);
  if (sent.length > 0) outgoing.write(sent);
  else outgoing.flushHeaders();
  // Sends the bytes, then closes the connection before the rest of the announced length.
  outgoing.socket?.destroySoon();
}

async function sendStream(outgoing: ServerResponse, body: ReadableStream<Uint8Array>) {
  outgoing.flushHeaders();
  try {
    for await (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  } catch {
    outgoing.socket?.destroySoon();
  }
}

/** Sends a response while the client still sends the body, and closes the connection. */
export function sendEarly(outgoing: ServerResponse, { status, headers, body }: HttpResponse): void {
  outgoing.writeHead(status, { ...headers, connection: "close" }).end(body);
  // Bytes of the body that arrive now reset the connection.
  outgoing.socket?.destroySoon();
}
