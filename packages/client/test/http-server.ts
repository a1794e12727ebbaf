import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { onTestFinished } from "vitest";

/** A request that a hand-made server got. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server on a free port of this machine that answers as the test says; gives its address and what it got. */
export async function httpServer(
  answer: (response: ServerResponse, got: ReceivedRequest, count: number) => void,
): Promise<{ url: string; got: ReceivedRequest[] }> {
  const got: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
      got.push(one);
      answer(response, one, got.length);
    });
  });
  return { url: await listen(server), got };
}

/** Lets a server listen on a free port of this machine until the end of the test, and gives its address. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** An address of this machine at which nothing listens. */
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
