/*
 * A program: a receiver as an app has it, and nothing that outlives it. What it remembers, and what is to befall it, is
 * with the process that has started it, which says where to listen, too.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createReceiver } from "../../index.ts";
import type { ClaimState } from "../../index.ts";
import type { Told } from "./direction.ts";

const [direction = "", secret = "", claimFor = ""] = process.argv.slice(2);

async function ask(about: string, question: Readonly<Record<string, unknown>>): Promise<Told> {
  const told = await fetch(`${direction}/${about}`, {
    method: "POST",
    body: JSON.stringify(question),
  });
  if (!told.ok) throw new Error(`${about}: answered ${told.status}.`);
  // Only direction.ts answers here.
  return (await told.json()) as Told;
}

const receive = createReceiver({
  secrets: secret,
  claimFor: Number(claimFor),
  store: {
    // Only direction.ts answers here, with what its own store says.
    claim: async (key, owner, ttl) => (await ask("claim", { key, owner, ttl })).state as ClaimState,
    done: (key, ttl) => ask("done", { key, ttl }),
    release: (key, owner) => ask("release", { key, owner }),
  },
  async onCompleted({ job_id: job }) {
    const { fails } = await ask("begins", { job });
    if (fails === true) throw new Error("As planned.");
    await ask("ends", { job });
  },
  onError: () => undefined,
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url: path = "/", method = "GET" } = request;
  // A list of headers is never what this server sends.
  const headers = request.headers as Record<string, string>;
  const { redirects } = await ask("arrives", { path, job: headers["x-service-job-id"] });
  if (redirects === true) {
    response.writeHead(307, { location: `${direction}/followed`, connection: "close" }).end();
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  const answered = await receive(
    new Request(`http://${headers["host"]}${path}`, { method, headers, body }),
  );
  // A connection that is kept would break at a kill though nothing is under way on it.
  response.writeHead(answered.status, { connection: "close" }).end(await answered.text());
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.on("listening", () => process.send?.(server.address()));
process.on("disconnect", () => process.exit());
process.on("message", (port) => {
  const listen = (): void => void server.listen(Number(port), "127.0.0.1");
  // The port is free as soon as the system has cleared away whoever was there before.
  server.on("error", () => setTimeout(listen, 20));
  listen();
});
process.send?.("ready");
