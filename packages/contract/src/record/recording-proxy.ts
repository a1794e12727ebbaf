import { closeSync, writeSync } from "node:fs";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

import { isLoopback } from "@tryon/shared/key-url";
import { createPrivateFile } from "@tryon/shared/private-file";

import { isBaseUrl, urlBelow } from "../wire/base-url.ts";
import { createSend } from "../wire/send.ts";
import type { Exchange } from "./exchange.ts";
import { ExchangeRecorder } from "./exchange-recorder.ts";
import { LiveGuard, type LiveLimits } from "./live-guard.ts";
import { Masker, type MaskOptions } from "./mask.ts";

export interface RecordingOptions extends MaskOptions, LiveLimits {
  readonly upstream: string;
  /** Session file. An earlier one is replaced, and a link is an error. Only its owner can read it. */
  readonly output: string;
  readonly port: number;
}

export type RecordingProxy = Awaited<ReturnType<typeof startRecordingProxy>>;

/** Headers that belong to one connection (RFC 9110, 7.6.1), and those that the proxy sets. */
const perConnection =
  /^(?:connection|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|accept-encoding)$/;

/**
 * Starts a reverse proxy on loopback that records each exchange as a line of the session file. The line is written before
 * the client gets the end of the response, so a killed proxy loses no exchange that a client has seen end. Bodies stream,
 * so memory does not grow with them.
 *
 * @throws Error if the file or the port cannot be opened.
 */
export async function startRecordingProxy(options: RecordingOptions) {
  const upstream = new URL(options.upstream);
  const send = upstream.protocol === "https:" ? httpsRequest : httpRequest;
  const masker = new Masker(options);
  const guard = new LiveGuard(options, createSend(options.upstream));
  const file = createPrivateFile(options.output);
  const counts = { recorded: 0, refused: 0 };
  let isStopped = false;
  const open = new Set<() => void>();

  const write = (exchange: Exchange): void => {
    writeSync(file, `${JSON.stringify(exchange)}\n`);
    counts.recorded += 1;
  };

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = "GET", url: path = "/", headers } = incoming;
    const refuse = (detail: string): void => {
      counts.refused += 1;
      incoming.resume();
      outgoing.writeHead(403, { "content-type": "application/json" });
      outgoing.end(JSON.stringify({ detail }));
    };
    const problem = foreignness(incoming);
    if (problem !== undefined) return refuse(problem);
    const target = urlBelow(options.upstream, path);
    if (target === undefined) {
      return refuse("The recorder forwards only paths below the URL of the deployment.");
    }
    const permit = await guard.admit(method, path, headers.authorization);
    if (typeof permit === "string") return refuse(permit);
    if (isStopped) return;
    const recorder = new ExchangeRecorder(masker, {
      method,
      path,
      headers: pairs(incoming.rawHeaders),
      key: headers.authorization ?? null,
      origin: upstream.origin,
    });
    const forwarded = send(target, {
      method,
      // The agent of the process could send it to a proxy of the environment.
      ...(isLoopback(target.hostname) && { agent: false }),
      headers: { ...forwardedHeaders(incoming.rawHeaders), "accept-encoding": "identity" },
    });
    let isOver = false;
    const end = (error?: string): void => {
      if (isOver) return;
      isOver = true;
      open.delete(close);
      const exchange = recorder.end(error);
      permit.settle(exchange.response?.status, exchange.response?.body);
      write(exchange);
    };
    const fail = (error: string): void => {
      end(error);
      forwarded.destroy();
      // The client gets what it would get from the service: an end of the connection.
      outgoing.destroy();
    };
    const close = (): void => fail("closed");
    open.add(close);
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) close();
    });
    forwarded.once("response", (response) => {
      const { statusCode = 502, statusMessage, rawHeaders } = response;
      recorder.respond(statusCode, pairs(rawHeaders));
      // Before the client sees the end.
      response.once("error", (error) => end(codeOf(error)));
      outgoing.writeHead(statusCode, statusMessage, forwardedHeaders(rawHeaders));
      const record = tap(
        (chunk) => recorder.receive(chunk),
        () => end(),
      );
      pipeline(response, record, outgoing).catch((error: unknown) => fail(codeOf(error)));
    });
    forwarded.once("error", (error) => fail(codeOf(error)));
    await pipeline(
      incoming,
      tap((chunk) => recorder.send(chunk)),
      forwarded,
    ).catch((error: unknown) => fail(codeOf(error)));
  };

  const server = createServer((incoming, outgoing) => {
    void handle(incoming, outgoing);
  });
  // A synchronous request takes up to 90 s.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  // The server listens on TCP.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get recorded() {
      return counts.recorded;
    },
    get refused() {
      return counts.refused;
    },
    async stop(): Promise<void> {
      isStopped = true;
      server.close();
      for (const close of open) close();
      server.closeAllConnections();
      closeSync(file);
    },
  };
}

/**
 * Returns why a request is refused before anything else, or undefined. A page of another site reaches this machine under its
 * own host name once the name resolves to this machine.
 */
function foreignness({ headers, headersDistinct }: IncomingMessage): string | undefined {
  const { host, origin } = headers;
  if (!isLocal(`http://${host}`)) {
    return "The recorder takes requests only under a name of this machine, such as 127.0.0.1.";
  }
  if (origin !== undefined && !isLocal(origin)) {
    return "The recorder takes no requests from pages of this origin.";
  }
  // Node reads the first key, and a service could take the last.
  const { authorization: keys = [] } = headersDistinct;
  return keys.length > 1 ? "The recorder takes one Authorization header." : undefined;
}

function isLocal(url: string): boolean {
  return isBaseUrl(url) && isLoopback(new URL(url).hostname);
}

function tap(read: (chunk: Buffer) => void, end: () => void = () => undefined): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      read(chunk);
      done(null, chunk);
    },
    flush(done) {
      end();
      done();
    },
  });
}

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""]] : []));
}

function forwardedHeaders(raw: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const [name, value] of pairs(raw)) {
    if (!perConnection.test(name.toLowerCase())) (headers[name] ??= []).push(value);
  }
  return headers;
}

function codeOf(error: unknown): string {
  // Errors of the system have a code.
  return (Object(error) as { code?: string }).code ?? "failed";
}
