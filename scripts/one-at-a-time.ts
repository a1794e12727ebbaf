import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { setTimeout } from "node:timers/promises";

/**
 * Does work that no other process of this machine may do at the same time: all that give the same name take turns. The
 * turn is a socket of the kernel's, which goes with its process however that ends; other systems than Linux have none
 * such, and there nobody waits.
 */
export async function oneAtATime<Result>(
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  let turn: Server | undefined;
  while (process.platform === "linux" && turn === undefined) {
    turn = await takeTurn(name);
    if (turn === undefined) await setTimeout(100);
  }
  try {
    return await work();
  } finally {
    turn?.close();
  }
}

async function takeTurn(name: string): Promise<Server | undefined> {
  // Such an address has room for about 100 bytes, and a folder can have a longer name.
  const short = createHash("sha256").update(name).digest("hex");
  const server = createServer().listen({ path: `\0tryon-${short}` });
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
}
