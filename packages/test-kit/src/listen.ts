import type { AddressInfo, Server, Socket } from "node:net";

import { onTestFinished } from "vitest";

export interface Listening {
  readonly port: number;
  readonly url: string;
  /** Ends also the open connections. */
  readonly close: () => Promise<void>;
}

/** Starts a server on a free port of this machine. */
export async function startListening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  // A server on a port has this form of `address()`.
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, url: `http://127.0.0.1:${port}`, close };
}

/** Starts a server until the end of the test, and returns its URL. */
export async function listen(server: Server): Promise<string> {
  const { url, close } = await startListening(server);
  onTestFinished(close);
  return url;
}
