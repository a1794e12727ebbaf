import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { headersOf } from "../wire/incoming-headers.ts";
import type { Time } from "./time.ts";

/** One webhook as it came. */
export interface Delivery {
  readonly at: number;
  readonly method: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly text: string;
}

/** What a receiver says to its first, second, … webhook; `hang` says nothing. */
export type HookResponse = (
  attempt: number,
) => { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | "hang";

/** An address for webhooks, and what came there. */
export interface Hook {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  /** Takes no more. */
  close(): void;
}

/** Where webhooks come in. */
export interface Receiver {
  open(answer?: HookResponse): Hook;
  close(): Promise<void>;
}

/** The longest body of a webhook that is read. */
const bodyBytes = 1_000_000;

/**
 * Listens for webhooks.
 *
 * @param publicUrl the address under which the deployment reaches it, when not that of this machine.
 * @throws Error when the port cannot be had.
 */
export async function openReceiver(
  time: Time,
  {
    publicUrl,
    port = 0,
  }: { readonly publicUrl?: string | undefined; readonly port?: number | undefined },
): Promise<Receiver> {
  const hooks = new Map<string, { answer: HookResponse; deliveries: Delivery[] }>();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = /([^/?]+)(\?.*)?$/.exec(request.url ?? "")?.[1] ?? "";
    const hook = hooks.get(name);
    const at = time.now();
    const bytes = await read(request);
    if (hook === undefined || bytes === undefined) {
      response.writeHead(bytes === undefined ? 413 : 404).end();
      return;
    }
    hook.deliveries.push({
      at,
      method: request.method ?? "",
      headers: headersOf(request),
      bytes,
      text: new TextDecoder().decode(bytes),
    });
    const answer = hook.answer(hook.deliveries.length);
    if (answer !== "hang") response.writeHead(answer.status, answer.headers).end();
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  // With an address of its own the deployment is elsewhere, and comes from outside.
  const host = publicUrl === undefined ? "127.0.0.1" : "0.0.0.0";
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  // A server that listens on a port has an address of this form.
  const { port: taken } = server.address() as AddressInfo;
  const base = (publicUrl ?? `http://127.0.0.1:${taken}`).replace(/\/+$/, "");
  return {
    open(answer = () => ({ status: 204 })) {
      // A port that is open to others would let them send to a path that they can guess.
      const name = randomBytes(16).toString("base64url");
      const deliveries: Delivery[] = [];
      hooks.set(name, { answer, deliveries });
      return { url: `${base}/${name}`, deliveries, close: () => void hooks.delete(name) };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    // A stream without an encoding gives buffers.
    const bytes = part as Buffer;
    length += bytes.length;
    if (length > bodyBytes) return undefined;
    parts.push(bytes);
  }
  return new Uint8Array(Buffer.concat(parts));
}
