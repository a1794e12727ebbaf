import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** An app under test that listens. */
export interface Running {
  readonly port: number;
  close(): Promise<void>;
}

/** Has a server listen on any port. */
export async function listening(server: Server): Promise<Running> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server on a port has an address that is no text.
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { port, close };
}
