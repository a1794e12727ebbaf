import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";

import type { SignedEvent } from "./events.ts";

/** Where every app under test has its receiver. */
export const path = "/webhooks/tryon";

export interface Sending extends Partial<SignedEvent> {
  readonly method?: string;
  readonly path?: string;
  /** The body in pieces, each sent when the one before is out. */
  readonly pieces?: readonly Uint8Array[];
}

export interface SentResponse {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** Sends a request over HTTP, a POST to the receiver unless it is told otherwise. */
export async function send(port: number, sending: Sending): Promise<SentResponse> {
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

/** The head of a request, line by line: nothing here joins two headers of one name. */
export function head(lines: readonly string[], method = "POST"): string {
  return [`${method} ${path} HTTP/1.1`, "host: localhost", ...lines, "", ""].join("\r\n");
}

/** What comes back over a connection, until it is closed by the other side. */
export async function untilClosed(port: number, first: string | Uint8Array): Promise<string> {
  const socket = await connected(port);
  socket.write(first);
  return received(socket);
}

/** Sends requests over one connection, each behind the answer to the one before, and gives the statuses. */
export async function statusesOver(
  port: number,
  messages: ReadonlyArray<string | Uint8Array>,
): Promise<readonly number[]> {
  const socket = await connected(port);
  const answers: Buffer[] = [];
  socket.on("data", (data) => answers.push(data));
  const statuses = () =>
    Array.from(String(Buffer.concat(answers)).matchAll(/HTTP\/1\.1 (\d+)/g), ([, code]) =>
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

/** Sends a body that never ends, and tells how much of it went out and what came back. */
export async function sendEndless(port: number, lines: readonly string[]) {
  const socket = await connected(port);
  const back = received(socket);
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
  return { answer: await back, sent };
}

/** Sends the beginning of a request and is gone. */
export async function abortAfter(port: number, beginning: string): Promise<void> {
  const socket = await connected(port);
  await new Promise<void>((sent) => socket.write(beginning, () => sent()));
  socket.destroy();
}

/** A connection with a request on it, to be closed by whoever asked for it. */
export async function connected(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  // The other side may well close it before everything is sent.
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

const crlf = Buffer.from("\r\n");

async function received(socket: Socket): Promise<string> {
  let answer = "";
  socket.on("data", (data) => {
    answer += data.toString("latin1");
  });
  // Not `once`, which rejects where a write comes too late.
  await new Promise((closed) => socket.on("close", closed));
  return answer;
}
