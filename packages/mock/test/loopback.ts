import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that came over a real connection. */
interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a server has at an address. */
export interface Page {
  readonly type: string;
  readonly content: string;
}

/** A server on this machine that answers with its pages, else "over the network", and notes what it gets. */
export interface Loopback {
  readonly url: string;
  readonly arrived: readonly Arrived[];
  /** Resolves with the first request. */
  readonly first: Promise<Arrived>;
  close(): Promise<void>;
}

export async function loopback(pages: Readonly<Record<string, Page>> = {}): Promise<Loopback> {
  const arrived: Arrived[] = [];
  let note: ((request: Arrived) => void) | undefined;
  const first = new Promise<Arrived>((resolve) => (note = resolve));
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const body = Buffer.concat(parts).toString();
      arrived.push({ method, path, headers, body });
      note?.({ method, path, headers, body });
      const { type, content } = pages[path] ?? { type: "text/plain", content: "over the network" };
      response.writeHead(200, { "content-type": type }).end(content);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    arrived,
    first,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
