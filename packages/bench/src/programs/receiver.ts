// Receives signed events over HTTP with a bare handler or a receiver, and prints its rate and its CPU time per delivery.
import { fork } from "node:child_process";
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import type { ReceiverStore } from "@tryon/webhooks";
import { createReceiver as createExpressReceiver } from "@tryon/webhooks/express";
import { createReceiver } from "@tryon/webhooks/node";
import { createPostgresStore, type PostgresClient } from "@tryon/webhooks/postgres";
import { createRedisStore, type IoRedisClient } from "@tryon/webhooks/redis";
import { createSqliteStore } from "@tryon/webhooks/sqlite";

import { createEvent, signEvent, webhookSecret } from "../candidates/fixtures.ts";

/** App of Express. Its `use` takes handlers and what `raw` returns. */
interface ExpressApp extends RequestListener {
  use(...handlers: readonly unknown[]): void;
}

/** Used parts of `express`, `pg` and `ioredis`. The workspace has no types of the versions that are installed here. */
interface Peers {
  readonly default: { (): ExpressApp; raw(options: object): unknown };
  readonly Pool: new (options: object) => PostgresClient;
  readonly Redis: new (url: string) => IoRedisClient;
}

const importPeer = async (name: string): Promise<Peers> => (await import(name)) as Peers;

/** Numbers of deliveries: to warm up and at full speed, over all connections, and then one every 2 ms. */
const counts = [4_000, 4_000, 2_000] as const;
const interval = 2;
const connections = 16;
const [kind = "", argument = ""] = process.argv.slice(2);

/** Returns the bytes of a delivery of 300 bytes with its own job. */
function deliveryOf(index: number): Buffer {
  const id = `job_${String(index).padStart(24, "0")}`;
  const body = Buffer.from(
    createEvent(300).toString().replaceAll("job_4fK9sQ2mZx7LbT1cVw8RnE3y", id),
  );
  const head = [
    "POST /webhooks/tryon HTTP/1.1",
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    `X-Service-Signature: ${signEvent(body)}`,
    "X-Service-Event: tryon.completed",
    `X-Service-Job-Id: ${id}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

/** Sends a delivery over a socket, which costs less CPU time than a client of HTTP. */
async function send(socket: Socket, delivery: Buffer): Promise<void> {
  socket.write(delivery);
  // Each response fits into one packet.
  const [response] = (await once(socket, "data")) as [Buffer];
  if (!response.toString().startsWith("HTTP/1.1 204")) throw new Error(response.toString());
}

/** Sends the next deliveries for each message, and then responds. */
async function runSender(): Promise<void> {
  const sockets = Array.from({ length: connections }, () => connect(Number(argument), "127.0.0.1"));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  let index = 0;
  const rounds = counts.map((count) =>
    Array.from({ length: count }, () => deliveryOf((index += 1))),
  );
  const sendRound = async (round: number): Promise<void> => {
    const deliveries = (rounds[round] ?? []).values();
    const startedAt = performance.now();
    let sent = 0;
    const sendAll = async (socket: Socket): Promise<void> => {
      for (const delivery of deliveries) {
        const due = startedAt + (sent += 1) * interval;
        if (round === 2) await delay(Math.max(0, due - performance.now()));
        await send(socket, delivery);
      }
    };
    await Promise.all(sockets.map(sendAll));
    process.send?.("sent");
  };
  process.on("message", (round: number) => void sendRound(round));
  process.send?.("ready");
}

let handled = 0;

/** Handles an event, as the app does. */
function onCompleted({ status }: { readonly status: string }): void {
  if (status === "succeeded") handled += 1;
}

/** Compares the signature and parses the event, as the documentation of the service says. */
function handle(body: Buffer, { headers }: IncomingMessage, response: ServerResponse): void {
  const digest = createHmac("sha256", webhookSecret).update(body).digest();
  const signature = String(headers["x-service-signature"]).slice("sha256=".length);
  const isValid = timingSafeEqual(digest, Buffer.from(signature, "hex"));
  // The sender signs valid events.
  if (isValid) onCompleted(JSON.parse(body.toString()) as { readonly status: string });
  response.writeHead(isValid ? 204 : 400).end();
}

const bareHandler: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => handle(Buffer.concat(chunks), request, response));
};

/** Creates the app that the documentation of Express shows for raw bodies. */
async function expressApp(handler: unknown): Promise<RequestListener> {
  const { default: express } = await importPeer("express");
  const app = express();
  app.use("/webhooks/tryon", express.raw({ type: "*/*" }), handler);
  return app;
}

const stores: Readonly<Record<string, () => Promise<ReceiverStore | undefined>>> = {
  memory: async () => undefined,
  redis: async () => createRedisStore(new (await importPeer("ioredis")).Redis(argument)),
  postgres: async () => {
    const { Pool } = await importPeer("pg");
    const pool = new Pool({ connectionString: argument });
    return createPostgresStore(pool, { createTable: true });
  },
  sqlite: () => sqliteStore("NORMAL"),
  "sqlite-full": () => sqliteStore("FULL"),
};

async function sqliteStore(synchronous: string): Promise<ReceiverStore> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(argument);
  const store = createSqliteStore(database, { createTable: true });
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  return store;
}

async function createListener(): Promise<RequestListener> {
  if (kind === "bare") return bareHandler;
  if (kind === "express-bare") {
    return expressApp((request: IncomingMessage & { body: Buffer }, response: ServerResponse) =>
      handle(request.body, request, response),
    );
  }
  const options = { secrets: webhookSecret, store: await stores[kind]?.(), onCompleted };
  if (kind === "express") return expressApp(createExpressReceiver(options));
  const receiver = createReceiver(options);
  return (request, response) => void receiver(request, response);
}

async function runReceiver(): Promise<object> {
  const server = createServer(await createListener());
  await once(server.listen(0, "127.0.0.1"), "listening");
  // It listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const sender = fork(process.argv[1] ?? "", ["send", String(port)]);
  const failed = once(sender, "exit").then(([code]) => {
    throw new Error(`The sender ended with ${code}.`);
  });
  /** Receives the deliveries of a round, and returns the seconds and the CPU time in microseconds. */
  const receive = async (round: number) => {
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    sender.send(round);
    await Promise.race([once(sender, "message"), failed]);
    const { user, system } = process.cpuUsage(cpu);
    return { seconds: (performance.now() - startedAt) / 1_000, cpu: user + system };
  };
  await Promise.race([once(sender, "message"), failed]);
  await receive(0);
  const rate = counts[1] / (await receive(1)).seconds;
  const cpu = (await receive(2)).cpu / counts[2];
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (handled !== all) throw new Error(`${handled} of ${all} events were handled.`);
  failed.catch(() => undefined);
  sender.kill();
  return { rate, cpu };
}

if (kind === "send") await runSender();
else {
  const result = await runReceiver();
  process.stdout.write(JSON.stringify({ result }), () => process.exit());
}
