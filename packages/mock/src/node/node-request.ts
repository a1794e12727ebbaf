import type { IncomingMessage } from "node:http";

import type { HttpRequest, RequestHeaders } from "../http/message.ts";

/** A target that a `URL` would leave as it is. */
const plainTarget = /^(\/[\w/-]*)(\?[\w=&%.-]*)?$/;

const validHost = /^([\w.-]+|\[[\da-f:.]+])(:\d+)?$/i;

/** Nearly all requests of a server have the same host. */
let latest = { host: "", origin: "" };

export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly search: string;
  readonly headers: RequestHeaders;
  readonly isBuffered = false;
  readonly incoming: IncomingMessage;

  static read(incoming: IncomingMessage): NodeRequest | undefined {
    try {
      return new NodeRequest(incoming);
    } catch {
      return undefined;
    }
  }

  private constructor(incoming: IncomingMessage) {
    const { method = "GET", url: target = "" } = incoming;
    this.incoming = incoming;
    this.headers = new NodeHeaders(incoming.rawHeaders);
    this.method = method;
    const { host = "" } = incoming.headers;
    const plain = host === latest.host ? plainTarget.exec(target) : null;
    if (plain !== null) {
      this.origin = latest.origin;
      this.path = plain[1] ?? "";
      this.search = (plain[2] ?? "").replace(/^\?$/, "");
      return;
    }
    const url = new URL(absoluteUrl(host, target));
    if (target.startsWith("/")) latest = { host, origin: url.origin };
    this.origin = url.origin;
    this.path = url.pathname;
    this.search = url.search;
  }

  readBody(max: number): Promise<Uint8Array | undefined> {
    const { incoming } = this;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
    const chunks: Buffer[] = [];
    let length = 0;
    const add = (chunk: Buffer): void => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= max) return;
      incoming.pause();
      resolve(undefined);
    };
    const end = (): void => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    const fail = (): void => {
      if (!incoming.complete) {
        reject(new Error("The client closed the connection."));
        return;
      }
      // The client has sent the whole body before it closed the connection.
      const rest: unknown = incoming.read();
      if (rest instanceof Buffer) add(rest);
      end();
    };
    if (incoming.destroyed) fail();
    else incoming.on("data", add).on("end", end).on("error", fail).on("close", fail);
    // The journal keeps the request, but not its body.
    return promise.finally(() =>
      incoming.off("data", add).off("end", end).off("error", fail).off("close", fail),
    );
  }

  /** Creates a web request, whose signal is aborted when the client closes the connection. */
  toWeb(signal: AbortSignal): Request {
    const { method, incoming } = this;
    const headers = new Headers(Object.fromEntries(this.headers));
    const url = `${this.origin}${this.path}${this.search}`;
    if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
    const init = { method, headers, signal, body: streamOf(incoming), duplex: "half" };
    return new Request(url, init);
  }
}

class NodeHeaders implements RequestHeaders {
  readonly #raw: readonly string[];

  /** @param raw names and values in turns. */
  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  get(name: string): string | null {
    const raw = this.#raw;
    let value: string | null = null;
    for (let index = 0; index < raw.length; index += 2) {
      const given = raw[index] ?? "";
      if (given.length !== name.length || given.toLowerCase() !== name) continue;
      const text = raw[index + 1] ?? "";
      value = value === null ? text : `${value}, ${text}`;
    }
    return value;
  }

  *[Symbol.iterator](): Generator<readonly [name: string, value: string]> {
    const names = this.#raw.filter((_text, index) => index % 2 === 0);
    for (const name of new Set(names.map((each) => each.toLowerCase()))) {
      yield [name, this.get(name) ?? ""];
    }
  }
}

function absoluteUrl(host: string, target: string): string {
  const isAbsolute = /^https?:\/\//.test(target);
  // A `URL` would read a backslash as a slash.
  const isValid = !/^[^?]*\\/.test(target) && (isAbsolute || target.startsWith("/"));
  if (!isValid || (!isAbsolute && !validHost.test(host))) throw new TypeError("Invalid URL");
  return isAbsolute ? target : `http://${host}${target}`;
}

/** Canceling the stream would break the connection before the response. */
function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}
