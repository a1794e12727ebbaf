import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { text } from "node:stream/consumers";

import { startListening } from "@tryon/test-kit/listen";
import { onTestFinished } from "vitest";

/** A request over a TCP connection. */
interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A response of the server. */
export interface Page {
  readonly status?: number;
  readonly location?: string;
  readonly type?: string;
  readonly content?: string | Buffer;
}

/**
 * Starts a server on this machine until the end of the test, and records its requests.
 *
 * @param respond returns the response to a request, given its path and its number; by default "over the network".
 */
export async function loopback(
  respond: (path: string, number: number) => Page | undefined = () => undefined,
) {
  const arrived: Arrived[] = [];
  const first = Promise.withResolvers<Arrived>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url: path = "", headers } = request;
    const entry = { method, path, headers, body: await text(request) };
    arrived.push(entry);
    first.resolve(entry);
    const page = respond(path, arrived.length) ?? {};
    const { status = 200, location, type = "text/plain", content = "over the network" } = page;
    const redirect = location === undefined ? {} : { location };
    response.writeHead(status, { "content-type": type, ...redirect }).end(content);
  };
  const server = createServer((...call) => void answer(...call));
  const listening = await startListening(server);
  onTestFinished(listening.close);
  return { ...listening, arrived, first: first.promise };
}
