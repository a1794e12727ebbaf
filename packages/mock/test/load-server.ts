/*
 * Program that serves a mock and sends its URL to its parent process. It responds to each message with the number of its
 * connections, or with its memory after a garbage collection. Run it with --expose-gc.
 */
import { createMock } from "../src/mock.ts";
import { serve } from "../src/node/serve.ts";
import { turn } from "../src/system/host.ts";
import { controlToken } from "./control-token.ts";

const server = await serve(createMock({ latency: 0, seed: "load" }), { controlToken });

async function usedMemory(): Promise<number> {
  // One garbage collection runs finalizers whose garbage only the next one collects.
  for (let time = 0; time < 4; time += 1) {
    for (let step = 0; step < 8; step += 1) await turn();
    globalThis.gc?.();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

process.on("message", (question) => {
  if (question === "memory") void usedMemory().then((bytes) => process.send?.(bytes));
  else {
    const resources = process.getActiveResourcesInfo();
    process.send?.(resources.filter((name) => name === "TCPSocketWrap").length);
  }
});
process.send?.(server.url);
