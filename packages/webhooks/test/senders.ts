import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";

import type { SignedEvent } from "./events.ts";

export const path = "/webhooks/tryon";

export interface Sending extends Partial<SignedEvent> {
  readonly method?: string;
  readonly path?: string;
  /** Chunks of the body, each sent after the previous one. */
  readonly pieces?: readonly Uint8Array[];
}

/** Sends a request over HTTP, by default a POST to the receiver. */
export async function send(port: number, sending: Sending) {
  const { method = "POST", headers = {}, body, pieces } = sending;
  const to = { port, path: sending.path ?? path, method, headers: { ...headers } };
  const outgoing = request({ ...to, agent: false });
  outgoing.setNoDelay(true);
  const responded = once(outgoing, "response") as Promise<[IncomingMessage]>;
  for (const piece of pieces ?? []) {
    await new Promise<void>((sent) => outgoing.write(piece, () => sent()));
  }
  outgoing.end(body);
  const [response] = await responded;
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

/** Formats the head of a request, without joining headers of one name. */
export function head(lines: readonly string[], method = "POST"): string {
  return [`${method} ${path} HTTP/1.1`, "host: localhost", ...lines, "", ""].join("\r\n");
}

/** Sends text and returns all that the server sends until it closes the connection. */
export async function untilClosed(port: number, first: string | Uint8Array): Promise<string> {
  const socket = await connected(port);
  socket.write(first);
  return readToEnd(socket);
}

/** Sends requests over one connection, each after the previous response, and returns the statuses. */
export async function statusesOver(
  port: number,
  messages: ReadonlyArray<string | Uint8Array>,
): Promise<readonly number[]> {
  const socket = await connected(port);
  const received: Buffer[] = [];
  socket.on("data", (data) => received.push(data));
  const statuses = () =>
    Array.from(String(Buffer.concat(received)).matchAll(/HTTP\/1\.1 (\d+)/g), ([, code]) =>
      Number(code),
    );
  for (const [index, message] of messages.entries()) {
    socket.write(message);
    while (statuses().length <= index && !socket.destroyed) {
      await new Promise<void>((change) => {
        socket.once("data", () => change());
        socket.once("close", () => change());
      });
    }
  }
  socket.destroy();
  return statuses();
}

/** Sends an endless body. Returns the number of sent bytes and the response. */
export async function sendEndless(port: number, lines: readonly string[]) {
  const socket = await connected(port);
  const response = readToEnd(socket);
  const size = 65_536;
  const chunk = Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), Buffer.alloc(size), crlf]);
  socket.write(head([...lines, "transfer-encoding: chunked"]));
  let sent = 0;
  const push = () => {
    while (!socket.destroyed && sent < 256 * size * size) {
      sent += size;
      if (!socket.write(chunk)) break;
    }
  };
  socket.on("drain", push);
  push();
  return { response: await response, sent };
}

/** Sends the start of a request and closes the connection. */
export async function abortAfter(port: number, beginning: string): Promise<void> {
  const socket = await connected(port);
  await new Promise<void>((sent) => socket.write(beginning, () => sent()));
  socket.destroy();
}

/** Opens a connection that the caller closes. */
export async function connected(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  // The server may close it before everything is sent.
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

const crlf = Buffer.from("\r\n");

async function readToEnd(socket: Socket): Promise<string> {
  let received = "";
  socket.on("data", (data) => {
    received += data.toString("latin1");
  });
  // `once` would reject if a write comes too late.
  await new Promise((closed) => socket.on("close", closed));
  return received;
}
