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
  const server = createServer().listen({ path: `\0${name}` });
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
}
