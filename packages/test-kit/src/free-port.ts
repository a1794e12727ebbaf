import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Outside the ephemeral ranges of Linux, macOS and Windows, and above the ports of known services. */
const range = [20_000, 32_000] as const;

/**
 * Returns a free port for a program that must be given one. No system assigns a port of this range by itself, so the
 * port stays free until the program starts or restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
  server.close();
  await once(server, "close");
  return true;
}
