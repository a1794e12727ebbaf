import { createServer, type IncomingHttpHeaders } from "node:http";

import { startListening, type Listening } from "@tryon/test-kit/listen";

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

/** A server on this machine. */
export interface Loopback extends Listening {
  readonly arrived: Arrived[];
  /** Resolves with the first request. */
  readonly first: Promise<Arrived>;
}

/**
 * Starts a server on this machine and records its requests.
 *
 * @param respond returns the response to a request, given its path and its number; by default "over the network".
 */
export async function loopback(
  respond: (path: string, number: number) => Page | undefined = () => undefined,
): Promise<Loopback> {
  const arrived: Arrived[] = [];
  let note: ((request: Arrived) => void) | undefined;
  const first = new Promise<Arrived>((resolve) => (note = resolve));
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const entry = { method, path, headers, body: Buffer.concat(parts).toString() };
      arrived.push(entry);
      note?.(entry);
      const {
        status = 200,
        location,
        type = "text/plain",
        content = "over the network",
      } = respond(path, arrived.length) ?? {};
      const redirect = location === undefined ? {} : { location };
      response.writeHead(status, { "content-type": type, ...redirect }).end(content);
    });
  });
  return { ...(await startListening(server)), arrived, first };
}
