import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { headersOf } from "@tryon/shared/pinned-request";

import type { Time } from "./time.ts";

export interface Delivery {
  readonly at: number;
  readonly method: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly text: string;
}

/** Response of a receiver to its first, second, … webhook. `hang` never responds. */
export type HookResponse = (
  attempt: number,
) => { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | "hang";

export interface Hook {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  close(): void;
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

const maxBytes = 1_000_000;

export async function openReceiver(time: Time, publicUrl?: string, port = 0) {
  const hooks = new Map<string, { respond: HookResponse; deliveries: Delivery[] }>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
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
    const planned = hook.respond(hook.deliveries.length);
    if (planned !== "hang") response.writeHead(planned.status, planned.headers).end();
  };
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  // A public URL means that the deployment is on another machine.
  const host = publicUrl === undefined ? "127.0.0.1" : "0.0.0.0";
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  // A TCP server has this type.
  const { port: taken } = server.address() as AddressInfo;
  const base = (publicUrl ?? `http://127.0.0.1:${taken}`).replace(/\/+$/, "");
  return {
    open(respond: HookResponse = () => ({ status: 204 })): Hook {
      // Others could send webhooks to a path that they can guess.
      const name = randomBytes(16).toString("base64url");
      const deliveries: Delivery[] = [];
      hooks.set(name, { respond, deliveries });
      return { url: `${base}/${name}`, deliveries, close: () => void hooks.delete(name) };
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    // A stream without an encoding has buffers.
    const bytes = part as Buffer;
    length += bytes.length;
    if (length > maxBytes) return undefined;
    parts.push(bytes);
  }
  return new Uint8Array(Buffer.concat(parts));
}
