import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent } from "node:https";
import { duplexPair, type Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";

import type { Mock } from "@tryon/mock";

import type { Fetch } from "../src/config/options.ts";

/** Request of `node:https` before it has a connection. */
export interface UnsentRequest {
  readonly host: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
}

interface AgentOptions {
  readonly clock: Mock["clock"];
  /** If true, connections are used again. */
  readonly keepAlive: boolean;
  readonly refuses: (request: UnsentRequest) => boolean;
}

/** Ends of a connection in memory, with the methods of a socket that `node:http` calls. */
function connect(): [client: Duplex & { connecting: boolean }, server: Duplex] {
  const [client, server] = duplexPair().map((end, index, ends) => {
    end.on("close", () => ends[1 - index]?.destroy()).on("error", () => undefined);
    const same = (): Duplex => end;
    const socket = { setTimeout: same, setNoDelay: same, setKeepAlive: same, ref: same };
    return Object.assign(end, socket, { unref: same, connecting: true });
  });
  return [client, server] as never;
}

/** Creates an agent of `node:https` whose connections end in this process, at a server that responds as `fetch` does. */
export function createMemoryAgent(fetch: Fetch, { clock, keepAlive, refuses }: AgentOptions) {
  /** Client's end by the server's. */
  const clients = new WeakMap<object, Duplex>();

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers, socket } = request;
    const controller = new AbortController();
    const closed = once(response, "close").then(() => controller.abort());
    try {
      const chunks = await request.toArray();
      const own = new Headers(headers as Record<string, string>);
      // `node:http` adds them.
      for (const name of ["host", "connection", "transfer-encoding"]) own.delete(name);
      const init = {
        method: `${method}`,
        headers: own,
        body: chunks.length > 0 ? Buffer.concat(chunks).toString() : null,
        signal: controller.signal,
      };
      // Time moves only while the client waits for the service.
      const target = `https://${headers.host}${url}`;
      const answer = await clock.outside(fetch(target, init), undefined, false);
      response.sendDate = false;
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.flushHeaders();
      const reader = answer.body?.getReader();
      void closed.then(() => reader?.cancel()).catch(() => undefined);
      for (;;) {
        const next = reader && (await clock.outside(reader.read(), undefined, false));
        if (!next || next.done) break;
        const written = new Promise<void>((resolve) => response.write(next.value, () => resolve()));
        // The client may read no more.
        await Promise.race([written, closed]);
      }
      response.end();
    } catch (error) {
      // Bytes already written arrive first.
      await turn();
      const { cause = error } = Object(error) as { cause?: unknown };
      clients.get(socket)?.destroy(cause instanceof Error ? cause : new Error("closed"));
    }
  };
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void clock.during(() => respond(request, response));
  });

  const open = async (client: Duplex & { connecting: boolean }, end: Duplex, refused: boolean) => {
    await turn();
    if (refused) {
      const error = new Error("connect ECONNREFUSED");
      client.destroy(Object.assign(error, { code: "ECONNREFUSED", syscall: "connect" }));
      return;
    }
    clients.set(end, client);
    server.emit("connection", end);
    client.connecting = false;
    client.emit("connect");
    await turn();
  };
  return Object.assign(new Agent({ keepAlive }), {
    createConnection(options: object) {
      const [client, end] = connect();
      // The agent passes the options of the request.
      const refused = refuses(options as UnsentRequest);
      void clock.during(() => open(client, end, refused));
      return client;
    },
  });
}
