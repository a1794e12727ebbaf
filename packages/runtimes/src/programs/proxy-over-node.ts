import { createServer } from "node:http";

import { toNodeHandler } from "@tryon/client/node";
import type { ProgramContext } from "./program-context.ts";
import { createUserProxy, runThrough } from "./user-proxy.ts";

/** Makes a try-on through a proxy that `node:http` serves. */
export async function run(context: ProgramContext): Promise<unknown> {
  const server = createServer(toNodeHandler(createUserProxy(context)));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const value = await runThrough(`http://127.0.0.1:${port}/api/tryon`);
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  return value;
}
