/*
 * A program: a receiver as an app has it, and nothing that outlives it. What it remembers, and what is to befall it, is
 * with the process that has started it, which says where to listen, too.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { flushCompileCache } from "node:module";
import type { ClaimState } from "../../../src/index.ts";
import { createReceiver } from "../../../src/node/index.ts";
import type { ProcessResponse } from "./coordinator.ts";
import type { Order } from "./receiver-process.ts";

const [secret = "", claimTtl = ""] = process.argv.slice(2);
const asked: ((told: ProcessResponse | undefined) => void)[] = [];

/** Asks the process that has started this one: over its channel, which costs a busy machine less than HTTP. */
async function ask(
  about: string,
  said: Readonly<Record<string, unknown>>,
): Promise<ProcessResponse> {
  const answered = new Promise<ProcessResponse | undefined>((resolve) => {
    process.send?.({ number: asked.push(resolve), about, said });
  });
  const told = await answered;
  if (told === undefined) throw new Error(`${about}: that was in no plan.`);
  return told;
}

const receive = createReceiver({
  secrets: secret,
  claimTtl: Number(claimTtl),
  store: {
    // It is direction.ts that answers, with what its own store says.
    claim: async (key, owner, ttl) => (await ask("claim", { key, owner, ttl })).state as ClaimState,
    done: (key, ttl) => ask("done", { key, ttl }),
    release: (key, owner) => ask("release", { key, owner }),
  },
  async onCompleted({ job_id: job }, { signal }) {
    signal.addEventListener("abort", () => void ask("loses", { job }).catch(() => undefined));
    const { fails } = await ask("begins", { job });
    if (fails === true) throw new Error("As planned.");
    await ask("ends", { job });
  },
  onError: () => undefined,
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A connection that is kept would break at a kill though nothing is under way on it.
  response.setHeader("connection", "close");
  const { redirects } = await ask("arrives", {
    path: request.url,
    job: request.headers["x-service-job-id"],
  });
  if (redirects === true) response.writeHead(307, { location: "/followed" }).end();
  else await receive(request, response);
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
let place = 0;
const listen = (): void => void server.listen(place, "127.0.0.1");
// The port is free as soon as the system has cleared away whoever was there before.
server.on("error", () => setTimeout(listen, 20));
server.on("listening", () => process.send?.(server.address()));
process.on("disconnect", () => process.exit());
process.on("message", (order: Order) => {
  if ("number" in order) return asked[order.number - 1]?.(order.told);
  place = order.port;
  return listen();
});
// Those that are started later compile nothing again, which is most of what a start costs.
flushCompileCache();
process.send?.({ port: 0 });
