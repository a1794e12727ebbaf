import { once } from "node:events";
import type { Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { installApp } from "@tryon/test-kit/install-app";

/** Installs verdaccio into an empty folder, apart from the workspace, and starts it for the scope `@tryon`. */
export async function startRegistry(folder: string) {
  // A dependency asks for node-fetch by a tag, and not every mirror of the npm registry has tags.
  const manifest = { overrides: { "node-fetch": "2.7.0" } };
  await installApp(folder, ["verdaccio@6.10.4"], { manifest });
  const verdaccio = createRequire(join(folder, "package.json"))("verdaccio") as {
    runServer(config: object): Promise<Server>;
  };
  const start = async (port: number, refused = ""): Promise<Server> => {
    const anyone = { access: "$all", publish: "$all" };
    const server = await verdaccio.runServer({
      self_path: join(folder, "config.yaml"),
      storage: join(folder, "storage"),
      uplinks: {},
      auth: {},
      packages: { [`@tryon/${refused}`]: { ...anyone, publish: "nobody" }, "@tryon/*": anyone },
      log: { type: "stdout", level: "fatal" },
    });
    await once(server.listen(port, "127.0.0.1"), "listening");
    return server;
  };
  let server = await start(0);
  // The server listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await once(server.close(), "close");
  };
  /** Restarts the registry with its packages. From then on it refuses to publish `refused`. */
  const restart = async (refused?: string): Promise<void> => {
    await close();
    server = await start(port, refused);
  };
  const npmrc = `@tryon:registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=none\n`;
  return { npmrc, restart, close };
}
