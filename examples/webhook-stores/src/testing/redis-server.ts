import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createClient } from "@redis/client";

import { Daemon } from "./store-server.ts";
import type { StoreServer } from "./store-server.ts";

/** Starts a Redis that writes each change down before it answers. */
export async function startRedis(binary: string): Promise<StoreServer> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  args.push("--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction");
  let daemon: Daemon;
  const start = async (): Promise<void> => {
    daemon = new Daemon(binary, args, {});
    await daemon.ready(() => ping(url));
  };
  const stop = (): Promise<void> => daemon.stop("SIGTERM");
  await start();
  return {
    url,
    start,
    stop,
    async remove() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function ping(url: string): Promise<void> {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.ping();
  } finally {
    if (client.isOpen) client.destroy();
  }
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
