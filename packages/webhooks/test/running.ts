import { once } from "node:events";
import type { Server } from "node:http";
import type { Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";

export interface Running {
  readonly port: number;
  close(): Promise<void>;
}

export async function listening(server: Server | Http2Server): Promise<Running> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // Only a server on a pipe returns a string.
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { port, close };
}
