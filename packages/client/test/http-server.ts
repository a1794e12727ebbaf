import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";

import { onTestFinished } from "vitest";

export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Starts a server that responds as the test does, and returns its URL and the requests. */
export async function httpServer(
  respond: (response: ServerResponse, request: ReceivedRequest, count: number) => void,
): Promise<{ url: string; got: ReceivedRequest[] }> {
  const got: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      const whole = { method, url, headers, body: Buffer.concat(chunks).toString() };
      got.push(whole);
      respond(response, whole, got.length);
    });
  });
  return { url: await listen(server), got };
}

/** Starts a server on a free port until the end of the test, and returns its URL. */
export async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A TCP server that listens has an `AddressInfo`.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** Returns a URL at which no server listens. */
export async function closedUrl(): Promise<string> {
  const server = createServer();
  const url = await listen(server);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return url;
}

export const accountBody = JSON.stringify({
  name: null,
  credits_remaining: 5,
  rate_limit_per_min: 10_000_000,
  total_calls: 1,
  tryon_cost_credits: { "1K": 8, "2K": 12, "4K": 20 },
});
