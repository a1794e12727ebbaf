import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { listen, startListening } from "@tryon/test-kit/listen";

export { listen };

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

/** Returns a URL at which no server listens. */
export async function closedUrl(): Promise<string> {
  const { url, close } = await startListening(createServer());
  await close();
  return url;
}

export const accountBody = JSON.stringify({
  name: null,
  credits_remaining: 5,
  rate_limit_per_min: 10_000_000,
  total_calls: 1,
  tryon_cost_credits: { "1K": 8, "2K": 12, "4K": 20 },
});
