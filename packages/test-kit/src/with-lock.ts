import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { setTimeout } from "node:timers/promises";

/**
 * Runs work while no other process of this machine runs work under the same lock name. The lock is an abstract socket:
 * the kernel releases it however its process ends. Other systems than Linux have none, and there nothing is locked.
 */
export async function withLock<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  let lock: Server | undefined;
  while (process.platform === "linux" && lock === undefined) {
    lock = await tryAcquire(name);
    if (lock === undefined) await setTimeout(100);
  }
  try {
    return await work();
  } finally {
    lock?.close();
  }
}

async function tryAcquire(name: string): Promise<Server | undefined> {
  // The name of a socket has about 100 bytes, and a path can be longer.
  const digest = createHash("sha256").update(name).digest("hex");
  const server = createServer().listen({ path: `\0tryon-${digest}` });
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
}
