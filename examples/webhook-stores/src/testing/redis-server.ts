import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createClient } from "@redis/client";

import { freePort } from "@tryon/test-kit/free-port";
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
