/*
 * Program of a receiver process. Its settings come from the parent process, which also has its store and its handler.
 */
import { createServer } from "node:http";
import { flushCompileCache } from "node:module";
import type { AddressInfo } from "node:net";
import type { ClaimState } from "../../src/index.ts";
import { createReceiver } from "../../src/node/index.ts";
import type { Call, ToProcess } from "./receiver-pool.ts";

type Reply = Extract<ToProcess, { readonly id: number }>;
const calls: ((reply: Reply) => void)[] = [];

/** Calls the parent process over its channel, which loads a busy machine less than HTTP. */
async function call(method: Call["method"], first = "", owner = "", number = 0): Promise<unknown> {
  const { result, error } = await new Promise<Reply>((resolve) => {
    const id = calls.push(resolve) - 1;
    process.send?.({ id, method, args: [first, owner, number] } satisfies Call);
  });
  if (error !== undefined) throw new Error(`${method} failed: ${error}`);
  return result;
}

process.on("disconnect", () => process.exit());
process.on("message", (message: ToProcess) => {
  if ("id" in message) return calls[message.id]?.(message);
  const { secret, claimTtl } = message;
  const receive = createReceiver({
    secrets: secret,
    claimTtl,
    store: {
      // The store of the parent process returns a state.
      claim: async (key, owner, ttl) => (await call("claim", key, owner, ttl)) as ClaimState,
      done: (key, ttl) => call("done", key, "", ttl),
      release: (key, owner) => call("release", key, owner),
    },
    async onCompleted(_event, { signal }) {
      signal.addEventListener("abort", () => void call("abort").catch(() => undefined));
      await call("handle");
    },
    onError: () => undefined,
  });
  const server = createServer((request, response) => {
    // A kill would reset an idle connection that is kept alive.
    response.setHeader("connection", "close");
    receive(request, response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1", () => {
    // Only a server on a pipe returns a string.
    void call("listening", "", "", (server.address() as AddressInfo).port);
  });
});
// Later processes reuse the compiled code, which saves most of their start time.
flushCompileCache();
void call("started");
