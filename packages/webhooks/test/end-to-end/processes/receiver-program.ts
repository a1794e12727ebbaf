/*
 * Program of a receiver process. Its store and the faults are in the parent process, which also sets the port.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { flushCompileCache } from "node:module";
import type { AddressInfo } from "node:net";
import type { ClaimState } from "../../../src/index.ts";
import { createReceiver } from "../../../src/node/index.ts";
import type { Reply } from "./receiver-process.ts";

const [secret = "", claimTtl = ""] = process.argv.slice(2);
const calls: ((reply: Reply) => void)[] = [];

/** Calls the parent process over its channel, which loads a busy machine less than HTTP. */
async function call(method: string, id = "", other = "", number = 0): Promise<unknown> {
  const { result, error } = await new Promise<Reply>((resolve) => {
    process.send?.({ id: calls.push(resolve), method, args: [id, other, number] });
  });
  if (error !== undefined) throw new Error(`${method} failed: ${error}`);
  return result;
}

const receive = createReceiver({
  secrets: secret,
  claimTtl: Number(claimTtl),
  store: {
    // The coordinator returns the state of its store.
    claim: async (key, owner, ttl) => (await call("claim", key, owner, ttl)) as ClaimState,
    done: (key, ttl) => call("done", key, "", ttl),
    release: (key, owner) => call("release", key, owner),
  },
  async onCompleted({ job_id: job }, { signal }) {
    signal.addEventListener("abort", () => void call("abort", job).catch(() => undefined));
    if ((await call("start", job)) === true) throw new Error("Planned failure.");
    await call("complete", job);
  },
  onError: () => undefined,
});

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A kill would reset an idle connection that is kept alive.
  response.setHeader("connection", "close");
  const job = String(request.headers["x-service-job-id"]);
  const redirects = await call("arrive", request.url, job);
  if (redirects === true) response.writeHead(307, { location: "/followed" }).end();
  else await receive(request, response);
}

process.on("disconnect", () => process.exit());
process.on("message", ({ id, reply }: { id: number; reply: Reply }) => calls[id - 1]?.(reply));
// Later processes reuse the compiled code, which saves most of their start time.
flushCompileCache();

// The parent process replies with a number.
const port = (await call("started")) as number;
const server = createServer((request, response) => {
  handle(request, response).catch(() => response.destroy());
});
const listen = (): void => void server.listen(port, "127.0.0.1");
// The system frees the port soon after the previous process was killed.
server.on("error", () => setTimeout(listen, 20));
// Only a server on a pipe returns a string.
server.on("listening", () => {
  const { port: free } = server.address() as AddressInfo;
  void call("listening", "", "", free);
});
listen();
