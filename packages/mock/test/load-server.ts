/*
 * A program: a served reference server that answers questions of the process that has started it. It is to be run with
 * --expose-gc, so that what it says of its heap is what is in use and not what nobody has cleared away yet.
 */
import { createMock } from "../src/mock.ts";
import { serve } from "../src/node/serve.ts";
import { turn } from "../src/system/host.ts";
import type { LoadQuestion } from "./load-process.ts";

const mock = createMock({ latency: 0, seed: "load" });
const server = await serve(mock);

const answers: Readonly<Record<LoadQuestion["about"], (token: string) => Promise<unknown>>> = {
  url: async () => server.url,
  key: async (token) => {
    await mock.createKey({ token, credits: 1_000_000, rateLimitPerMinute: 1_000_000_000 });
  },
  ledger: (token) => mock.ledger(token),
  reset: () => mock.reset(),
  connections: async () =>
    process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length,
  memory: async () => {
    // What one collection leaves to finalizers, the next one gets.
    for (let time = 0; time < 4; time += 1) {
      for (let step = 0; step < 8; step += 1) await turn();
      globalThis.gc?.();
    }
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  },
};

process.on("message", (message) => {
  // Only load-process.ts sends messages to this program.
  const { id, about, token } = message as LoadQuestion;
  void answers[about](token).then((value) => process.send?.({ id, value }));
});
