import type { Bytes } from "../types/result-image.ts";
import type Http from "node:http";
import type Https from "node:https";
import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";

import { maxTimer } from "../config/clock.ts";
import { isLoopback } from "../config/resolve-config.ts";
import type {
  BodySource,
  HttpResponse,
  ReceivedResponse,
  Stage,
  Transport,
  TransportRequest,
} from "../http/http-request.ts";
import { maxBody, maxErrorBody, sendRequest, type SendConfig } from "../http/send-request.ts";
import { checkProxy, explainError, hasProxy, isForwarded } from "./network-proxy.ts";
import { loadBuiltin } from "./load-builtin.ts";
import { webStream } from "./node-image.ts";
import { readResponse, receivedResponse } from "./read-response.ts";

const chunkSize = 48 * 1_024;
/** Maximum wait for a server that was asked if it accepts a body, in milliseconds. */
const maxContinueWait = 1_000;
const pieceSize = 12 * 1_024;

type Module = typeof Http | typeof Https;

type Connection = Socket & { readonly secureConnecting?: boolean };

/**
 * Transport over `node:http` and `node:https`. Unlike `fetch`, it keeps no copy of what it sends, and knows whether a request
 * got to a connection.
 */
export class NodeTransport implements Transport {
  readonly #config: SendConfig;
  readonly #agents: Agents;
  /** Bodies whose upload broke off: their next attempt asks first if the server accepts them. */
  readonly #broken = new WeakSet<object>();

  constructor(config: SendConfig, agents: Agents) {
    this.#agents = agents;
    this.#config = { ...config, hasCache: false, fetch: (...request) => this.#send(...request) };
  }

  send(request: TransportRequest): Promise<HttpResponse> {
    return sendRequest(this.#config, request);
  }

  async #send(
    url: string,
    init: RequestInit,
    transportRequest: TransportRequest,
  ): Promise<ReceivedResponse> {
    const { body, deadline, context, read, onSend } = transportRequest;
    const { signal } = deadline;
    onSend("connecting");
    const target = new URL(url);
    const http = (modules[target.protocol] ??= load(target.protocol));
    const { body: sent } = init;
    // Text, or bytes if a middleware has replaced the request.
    const isWhole = typeof sent === "string" || sent instanceof ArrayBuffer;
    const whole = isWhole ? Buffer.from(sent as string) : undefined;
    const source = sent && !whole && typeof body === "object" ? body : undefined;
    const expectsContinue = source !== undefined && this.#broken.has(source);
    if (!this.#agents.isGiven) checkProxy(target);
    const agent = this.#agents.get(target, http, context !== undefined);
    const request = http.request(target, {
      method: init.method,
      agent,
      // Otherwise the connection to a proxy that never responds stays open. It ends after the deadline, which is the error.
      ...(hasProxy(agent, target) && { timeout: Math.min(deadline.left() + 100, maxTimer) }),
      headers: {
        // As `fetch` does: some servers reject requests without them.
        "User-Agent": "node",
        Accept: "*/*",
        // `sendRequest` sets them as an object.
        ...(init.headers as Record<string, string>),
        ...(context && { "Accept-Encoding": "gzip" }),
        // Node sets it for a POST only. Without it, the body of a DELETE would be a new request to the server.
        ...(sent && { "Content-Length": (source ?? whole)?.length }),
        ...(expectsContinue && { Expect: "100-continue" }),
      },
    });
    let wasSent = false;
    let tunnelStatus = 200;
    const explain = (error: Error): void => explainError(error, agent, target, wasSent);
    const stop = (): void => {
      const { reason } = signal as { reason: Error };
      // The reason of a caller stays as it is. Without a connection, the request emits no error.
      if (deadline.passed && Object.isExtensible(reason)) explain(reason);
      request.destroy(reason);
    };
    signal.addEventListener("abort", stop);
    request.on("close", () => signal.removeEventListener("abort", stop));
    if (signal.aborted) stop();
    const start = (): void => {
      wasSent = true;
      if (source) {
        sendChunks(request, source, transportRequest, expectsContinue).catch((error: Error) =>
          request.destroy(error),
        );
      } else {
        onSend(sentStage(request));
        request.end(whole);
      }
    };
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      // Later errors go to the reader of the response.
      request.on("error", (error) => {
        // A server that has forgotten this connection has probably forgotten the others, too. A caller's abort proves nothing.
        if (request.reusedSocket && (!signal.aborted || deadline.passed)) {
          const port = target.port || (target.protocol === "https:" ? 443 : 80);
          closeIdle(agent, `${request.host}:${port}:`);
        }
        if (source && wasSent && !request.writableEnded && !signal.aborted)
          this.#broken.add(source);
        if (!signal.aborted) explain(error);
        reject(error);
      });
      // Event of packages such as `https-proxy-agent`.
      request.on("proxyConnect", ({ statusCode }: IncomingMessage) => {
        tunnelStatus = statusCode ?? 200;
      });
      request.on("response", resolve);
      request.on("socket", (socket: Connection) => {
        // The request is written only then: an error before proves that nothing has arrived.
        if (socket.secureConnecting) socket.once("secureConnect", start);
        else if (socket.connecting) socket.once("connect", start);
        else start();
      });
    });
    const { statusCode: status = 0 } = message;
    if (expectsContinue && status === 417) {
      // RFC 9110, 10.1.1: the same request, without the question.
      this.#broken.delete(source);
      message.resume();
      return this.#send(url, init, transportRequest);
    }
    const proxyStatus = status === 407 && isForwarded(request) ? 407 : tunnelStatus;
    if (proxyStatus !== 200) {
      message.resume();
      const refused = Object.assign(new Error("The proxy refused the request."), {
        code: "ERR_PROXY_REFUSED",
        statusCode: proxyStatus,
      });
      explain(refused);
      throw refused;
    }
    const received = decode(message);
    const headers = message.headers as Record<string, string>;
    if (read && status < 300) {
      const content = status === 204 || status === 205 ? null : webStream(received);
      return new Response(content, { status, headers });
    }
    const bytes = await readBytes(received, status < 300 ? maxBody : maxErrorBody);
    // A middleware needs a `Response`.
    return context && this.#config.middleware[0]
      ? readResponse(status, headers, bytes)
      : receivedResponse(status, headers, bytes);
  }
}

export class Agents {
  readonly #given: (Agent & { readonly protocol?: string }) | undefined;
  readonly #agents = new Map<string, Agent>();

  constructor(given: Agent | undefined) {
    this.#given = given;
  }

  get isGiven(): boolean {
    return this.#given !== undefined;
  }

  get({ protocol, hostname }: URL, { Agent: AgentClass }: Module, isService: boolean): Agent {
    const given = this.#given;
    // Only the URL of a result image may have the other protocol.
    if (given && (isService || (given.protocol ?? protocol) === protocol)) return given;
    const isLocal = isLoopback(hostname);
    const name = `${protocol} ${isLocal}`;
    const existing = this.#agents.get(name);
    if (existing) return existing;
    // A proxy cannot reach this machine, and would get the key over http. Node reads the variables.
    const proxyEnv = isLocal ? undefined : process.env;
    // The types of older versions of Node do not have `proxyEnv`.
    const options = { keepAlive: true, proxyEnv };
    const agent = new AgentClass(options);
    this.#agents.set(name, agent);
    return agent;
  }

  close(): void {
    for (const agent of this.#agents.values()) {
      agent.maxFreeSockets = 0;
      closeIdle(agent);
    }
    this.#agents.clear();
  }
}

function closeIdle({ freeSockets = {} }: Partial<Agent>, start = ""): void {
  for (const [name, sockets = []] of Object.entries(freeSockets)) {
    if (name.startsWith(start)) for (const socket of sockets) socket.destroy();
  }
}

/** Modules by protocol. */
const modules: Partial<Record<string, Module>> = {};

function load(protocol: string): Module {
  return loadBuiltin(protocol === "https:" ? "node:https" : "node:http");
}

function sentStage({ reusedSocket }: ClientRequest): Stage {
  return reusedSocket ? "reused" : "sent";
}

/**
 * Sends a body with backpressure, and ends it at an error response.
 *
 * @param expectsContinue - If true, waits until the server asks for the body, or does not respond for a second.
 */
async function sendChunks(
  request: ClientRequest,
  source: BodySource,
  { deadline: { clock }, onSend, onUpload }: TransportRequest,
  expectsContinue: boolean,
): Promise<void> {
  let isOver = false;
  let resume: (() => void) | undefined;
  const end = (): void => {
    isOver = true;
    resume?.();
  };
  request.on("close", end);
  request.on("response", (message) => {
    if (Number(message.statusCode) < 400) return;
    end();
    // The server gets no complete request, so the connection cannot be used again.
    message.on("end", () => request.destroy());
  });
  onSend("uploading");
  if (expectsContinue) {
    let timer: unknown;
    await new Promise<void>((resolve) => {
      resume = resolve;
      request.once("continue", resolve);
      // Some servers never ask.
      timer = clock.setTimeout(resolve, maxContinueWait);
      // A connection in memory may deliver the response within this call.
      request.flushHeaders();
    });
    clock.clearTimeout(timer);
  }
  let sent = 0;
  let writing: Promise<void> | undefined;
  for await (const chunk of source.chunks(base64Encoder(), chunkSize)) {
    // One chunk is written while the next is read: more would only take memory.
    await writing;
    if (isOver) return;
    if (sent > 0) onUpload(false, sent);
    sent += chunk.length;
    // Before its last chunk is written, a server cannot have the whole request.
    if (sent >= source.length) onSend(sentStage(request));
    writing = new Promise<void>((resolve) => {
      resume = resolve;
      request.write(chunk, () => resolve());
    });
  }
  await writing;
  if (isOver) return;
  request.end();
  onUpload(true, sent);
}

/**
 * Creates a function that encodes a chunk as base64, in two memories in turn, since the chunk before may still be written. It
 * encodes pieces, since V8 keeps long strings for longer.
 */
function base64Encoder(): (bytes: Bytes) => Bytes {
  const size = (chunkSize / 3) * 4;
  let [memory, other] = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)];
  return ({ buffer }) => {
    [memory, other] = [other, memory];
    let length = 0;
    for (let start = 0; start < buffer.byteLength; start += pieceSize) {
      const piece = Buffer.from(buffer, start, Math.min(pieceSize, buffer.byteLength - start));
      length += memory.write(piece.toString("base64"), length, "latin1");
    }
    return memory.subarray(0, length);
  };
}

function decode(message: IncomingMessage): Readable {
  const encoding = message.headers["content-encoding"] ?? "";
  if (!/^(x-gzip|gzip|deflate|br)$/i.test(encoding)) return message;
  const zlib = loadBuiltin("node:zlib");
  const decoder = /br/i.test(encoding) ? zlib.createBrotliDecompress() : zlib.createUnzip();
  // An error destroys both.
  return loadBuiltin("node:stream").pipeline(message, decoder, () => undefined);
}

function readBytes(body: Readable, limit: number): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (): void => resolve(Buffer.concat(chunks));
    body.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < limit) return;
      end();
      body.destroy();
    });
    body.on("end", end);
    body.on("error", reject);
  });
}
