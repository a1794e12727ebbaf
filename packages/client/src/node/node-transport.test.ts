import { readFileSync } from "node:fs";
import http, { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import { createServer as createTcpServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { gzipSync } from "node:zlib";

import { createMock } from "@tryon/mock";
import { handlers } from "@tryon/mock/msw";
import { setupServer } from "msw/node";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import {
  Budget,
  isTryOnError,
  TryOn,
  type Middleware,
  type TryOnOptions,
  type Update,
} from "../index.ts";
import { systemClock } from "../config/clock.ts";
import { accountBody, closedUrl, httpServer, listen } from "../../test/http-server.ts";
import { createMemoryAgent } from "../../test/memory-agent.ts";
import { assetBytes, failure, input, smallPng } from "../../test/service.ts";

const jobBody = (fields: object = {}) =>
  JSON.stringify({ job_id: "job_1", status: "queued", ...fields });
const pem = readFileSync(new URL("../../test/self-signed.pem", import.meta.url));

function client(baseUrl: string, options: TryOnOptions = {}): TryOn {
  const tryon = new TryOn({ apiKey: "svc_test_1", baseUrl, random: () => 0.001, ...options });
  onTestFinished(() => tryon.close());
  return tryon;
}

/** Starts a TCP server that handles each connection, and counts the bytes that it received. */
async function tcpServer(onConnection: (socket: Socket) => void) {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  return listen(server);
}

const afterRequest = (respond: (socket: Socket) => void) => () =>
  tcpServer((socket) => socket.once("data", () => respond(socket)));

const silent = () => tcpServer(() => undefined);
const secure = (url: string) => url.replace("http:", "https:");
/** Server of another protocol, which a TLS client cannot speak to. */
const silentHttp = () => tcpServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
const stalled = () => tcpServer((socket) => socket.pause());
async function secureServer(respond: () => string | Uint8Array) {
  const server = https.createServer({ key: pem, cert: pem }, (_request, response) =>
    response.end(respond()),
  );
  return secure(await listen(server));
}

/** Creates an agent that trusts the servers of this test. */
function agentWithTestCertificate(): https.Agent {
  const agent = new https.Agent({ ca: pem, keepAlive: true });
  onTestFinished(() => agent.destroy());
  return agent;
}

const lookup: https.AgentOptions["lookup"] = (_name, _options, callback) =>
  callback(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }), "");

/** Image whose upload takes more than the buffers of a connection. */
const large = new Uint8Array(8_000_000).fill(1);
const upload = { person: large, garments: input.garments };

describe("an error of a submission", () => {
  // Row: what happens, server, code, whether it proves that nothing has happened, options, input.
  type Row = [string, () => Promise<string>, RegExp, boolean, TryOnOptions?, object?];
  const quick = { attemptTimeout: 400 };
  it.each<Row>([
    ["a refused connection", closedUrl, /ECONNREFUSED/, true],
    [
      "an unknown host",
      async () => "https://shop.example",
      /ENOTFOUND/,
      true,
      { agent: new https.Agent({ lookup }) },
    ],
    [
      "an unknown certificate",
      () => secureServer(() => expect.unreachable()),
      /SELF_SIGNED_CERT/,
      true,
    ],
    ["a server without TLS", async () => secure(await silentHttp()), /EPROTO|ERR_SSL/, true],
    ["a TLS handshake without end", async () => secure(await silent()), /timed_out/, true, quick],
    [
      "a connection closed after the request",
      afterRequest((socket) => socket.end()),
      /ECONNRESET/,
      false,
    ],
    ["a reset", afterRequest((socket) => socket.resetAndDestroy()), /ECONNRESET/, false],
    [
      "a reset during the upload",
      afterRequest((socket) => socket.resetAndDestroy()),
      /ECONNRESET|EPIPE/,
      true,
      {},
      upload,
    ],
    [
      "a response that is not HTTP",
      afterRequest((socket) => socket.end("hello\r\n\r\n")),
      /HPE_/,
      false,
    ],
    [
      "a response with 20 kB of headers",
      afterRequest((socket) => socket.end(`HTTP/1.1 200 OK\r\na: ${"b".repeat(20_000)}\r\n\r\n`)),
      /HPE_HEADER_OVERFLOW/,
      false,
    ],
    [
      "an incomplete response",
      afterRequest((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{")),
      /ECONNRESET/,
      false,
    ],
    ["no response in time", silent, /timed_out/, false, quick],
    ["an upload that the server does not read", stalled, /timed_out/, true, quick, upload],
  ])("%s proves what is known", async (_name, server, code, nothingHappened, options, given) => {
    const tryon = client(await server(), { retries: 0, ...options });
    const error = await failure(
      tryon.submit({ ...input, ...given }, { validate: false, timeout: given ? 500 : "20s" }),
    );
    expect(isTryOnError(error, "outcome_unknown")).toBe(!nothingHappened);
    const { cause } = error as Error;
    expect(`${String(cause)} ${String(error)}`).toMatch(code);
  });
});

it("retries once at once on a connection that the server has closed, under the same key", async () => {
  const keys: unknown[] = [];
  let isKept = false;
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      isKept = true;
      return response.end(accountBody);
    }
    keys.push(request.headers["idempotency-key"]);
    if (isKept) request.socket.destroy();
    else response.end(jobBody());
    isKept = false;
    return undefined;
  });
  // With the longest delays, which this test would wait for.
  const tryon = client(await listen(server), { random: () => 1 });
  await tryon.account.get();
  const delays: unknown[] = [];
  const onUpdate = (update: Update): unknown =>
    update.phase === "retrying" && delays.push(update.delay);
  expect((await tryon.submit(input, { onUpdate })).id).toBe("job_1");
  expect(delays).toEqual([0]);
  expect(keys).toEqual([keys[0], keys[0]]);
});

describe("an upload", () => {
  it("reports its progress", async () => {
    const { url, got } = await httpServer((response) => response.end(jobBody()));
    const updates: Update[] = [];
    await client(url).submit(upload, {
      validate: false,
      onUpdate: (update) => updates.push(update),
    });
    const uploads = updates.filter((update) => update.phase === "uploading");
    const total = got[0]?.body.length;
    expect(uploads.length).toBeGreaterThan(50);
    expect(uploads.at(-1)).toMatchObject({ sent: total, total });
    const sent = uploads.map((update) => update.sent);
    expect(sent).toEqual(sent.toSorted((one, other) => one - other));
    expect(updates.slice(0, 2).map(({ phase }) => phase)).toEqual(["sending", "uploading"]);
  });

  it.each([401, 402, 413])("ends at an early %i, which is the result", async (status) => {
    let received = 0;
    const server = createServer((request, response) => {
      request.on("data", (chunk: Buffer) => (received += chunk.length));
      request.once("data", () => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end('{"detail":"no"}');
      });
    });
    const error = await failure(client(await listen(server)).submit(upload, { validate: false }));
    expect(error).toMatchObject({ status, attempts: { length: 1 } });
    expect(received).toBeLessThan(8_000_000);
  });

  it("has the same bytes as with fetch, from blobs and with a middleware", async () => {
    const bodies = new Set<string>();
    const lengths = new Set<unknown>();
    const { url } = await httpServer((response, request) => {
      bodies.add(request.body);
      lengths.add(request.headers["content-length"]);
      response.end(jobBody());
    });
    const image = new Blob([large.subarray(0, 500_000)]);
    const all: readonly TryOnOptions[] = [
      {},
      { transport: "fetch" },
      { middleware: (request, next) => next(request) },
      { middleware: (request, next) => next(new Request(request)) },
    ];
    for (const options of all) {
      const given = { person: image, garments: [large.subarray(0, 200), ...input.garments] };
      await client(url, options).submit(given, { validate: false });
    }
    const [body = "", ...others] = bodies;
    expect([others, ...lengths]).toEqual([[], String(body.length)]);
  });
});

const uploadTo = (tryon: TryOn, size = 9_000_000, options = {}) =>
  tryon.submit(
    { person: new Uint8Array(size).fill(1), garments: input.garments },
    { validate: false, ...options },
  );

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
const readAll: Handler = (request, response) =>
  void request.resume().on("end", () => response.end(jobBody()));
const reset: Handler = (request) => request.once("data", () => request.socket.resetAndDestroy());

describe("an upload that broke off", () => {
  /** Starts a server that resets uploads, and responds to `Expect: 100-continue` as given. */
  async function limited(onExpect: Handler, onUpload = reset) {
    const got: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      if (request.method === "GET") return response.end(accountBody);
      got.push(request.headers.expect);
      return onUpload(request, response);
    });
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      got.push(request.headers.expect);
      onExpect(request, response);
    });
    return { url: await listen(server), got, server };
  }
  /** Clock on which a second takes no time. */
  const clock = {
    ...systemClock,
    setTimeout: (callback: () => void, delay: number) =>
      setTimeout(callback, delay === 1_000 ? 0 : delay),
  };

  it("is refused by the headers of the next attempt, which sends no body", async () => {
    let received = 0;
    const { url, got } = await limited((request, response) => {
      request.on("data", (chunk: Buffer) => (received += chunk.length));
      response.writeHead(413, { "content-type": "text/html", connection: "close" });
      response.end("<h1>413</h1>");
    });
    const budget = new Budget({ maxCredits: 8 });
    const error = await failure(uploadTo(client(url), undefined, { budget }));
    expect(error).toMatchObject({ code: "payload_too_large", attempts: { length: 2 } });
    expect([got, received, budget.reserved]).toEqual([[undefined, "100-continue"], 0, 0]);
  });

  it.each<[string, Handler, (string | undefined)[], TryOnOptions]>([
    [
      "100 twice",
      (request, response) => {
        response.writeContinue();
        response.writeContinue();
        readAll(request, response);
      },
      [undefined, "100-continue"],
      {},
    ],
    ["no 100 for a second", readAll, [undefined, "100-continue"], { clock }],
    [
      "417",
      (_request, response) => response.writeHead(417).end(),
      [undefined, "100-continue", undefined],
      {},
    ],
  ])(
    "is sent again to a server that responds with %s",
    async (_name, onExpect, expected, options) => {
      let count = 0;
      const { url, got } = await limited(onExpect, (request, response) =>
        ((count += 1) === 1 ? reset : readAll)(request, response),
      );
      const job = await uploadTo(client(url, options));
      expect(job.id).toBe("job_1");
      expect(got).toEqual(expected);
    },
  );

  it("waits for a server that never asks by the clock of the client", async () => {
    let received = 0;
    const count: Handler = (request, response) => {
      request.on("data", (chunk: Buffer) => (received += chunk.length));
      readAll(request, response);
    };
    const { url, got } = await limited(count);
    const mock = createMock({ clock: "manual" });
    const call = uploadTo(client(url, { clock: mock.clock, random: () => 0 }));
    const asked = async () => {
      await mock.clock.advance(0);
      return got.length;
    };
    await expect.poll(asked).toBe(2);
    await mock.clock.advance(999);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(received).toBe(0);
    await mock.clock.advance(1);
    expect((await call).id).toBe("job_1");
    expect(received).toBe(12_000_086);
  });

  it("proves nothing after a 417 to the whole body", async () => {
    const { url, got, server } = await limited((request, response) =>
      request.resume().on("end", () => {
        response.writeHead(417, { connection: "close" }).end();
        server.close();
      }),
    );
    const error = await failure(uploadTo(client(url, { clock, retries: 1 })));
    expect(got).toEqual([undefined, "100-continue"]);
    expect(error).toMatchObject({ code: "outcome_unknown", attempts: { length: 2 } });
  });

  it("gets a 100 that arrives while its headers are sent", async () => {
    const mock = createMock({ clock: "manual" });
    let requests = 0;
    const network: typeof mock.fetch = async (...request) =>
      (requests += 1) === 1 ? new Response("busy", { status: 503 }) : mock.fetch(...request);
    const settings = { clock: mock.clock, keepAlive: true, refuses: () => false };
    const agent = createMemoryAgent(network, settings);
    const open = agent.createConnection.bind(agent);
    let connections = 0;
    agent.createConnection = (options) => {
      const connection = open(options);
      // The first connection breaks off, and the second one is kept. In memory, it delivers at once.
      if ((connections += 1) === 1) connection.on("drain", () => connection.destroy());
      return connection;
    };
    const options = { agent, clock: mock.clock, apiKey: mock.keys.live, allowLiveKey: true };
    const image = assetBytes("person.jpg");
    const tryOn = { person: image, garments: [image] };
    const start = mock.clock.now();
    const call = client(mock.baseUrl, { ...options, random: () => 0 }).submit(tryOn);
    expect((await mock.clock.runUntil(call)).status).toBe("running");
    expect([connections, requests, mock.clock.now() - start]).toEqual([2, 2, 0]);
  });

  it.each<[string, number, number, TryOnOptions, string]>([
    ["is sent once more", 9_000_000, 2, {}, "connection_failed"],
    ["is sent up to four times if it is small", 3_900_000, 4, {}, "connection_failed"],
    ["is sent once more over fetch", 9_000_000, 2, { transport: "fetch" }, "outcome_unknown"],
  ])("%s, and the error names the likely limit", async (_name, size, count, options, code) => {
    const { url, got } = await limited(reset);
    const error = await failure(uploadTo(client(url, { clock, ...options }), size));
    expect(error).toMatchObject({ code, attempts: { length: count } });
    expect(got).toHaveLength(count);
    expect(String(error)).toContain(`${Math.ceil((size * 4 + 100) / 3e5) / 10} MB`);
    expect(String(error)).toMatch(/limit/);
  });

  it("changes nothing for a body that arrived", async () => {
    const { url, got } = await limited(readAll, (request) =>
      request.resume().on("end", () => request.socket.resetAndDestroy()),
    );
    const error = await failure(uploadTo(client(url)));
    expect(error).toMatchObject({ code: "outcome_unknown", attempts: { length: 4 } });
    expect(String(error)).not.toMatch(/limit/);
    expect(got).toEqual(Array.from({ length: 4 }));
  });
});

const gzip = (body: Uint8Array | string) => (response: ServerResponse) =>
  response.setHeader("content-encoding", "gzip").end(body);

describe("a response", () => {
  const bomb = gzipSync(Buffer.alloc(100_000_000, " "));
  it.each<[string, (response: ServerResponse) => void, object]>([
    ["is read in gzip", gzip(gzipSync(accountBody)), { credits_remaining: 5 }],
    ["with 100 MB in gzip is not read to its end", gzip(bomb), { code: "unexpected_response" }],
    ["with damaged gzip fails", gzip("no gzip"), { code: "connection_failed" }],
    [
      "without end is not read to its end",
      (response) => {
        response.on("drain", () => response.write(Buffer.alloc(1_000_000, " ")));
        response.write(Buffer.alloc(1_000_000, " "));
      },
      { code: "unexpected_response" },
    ],
    [
      "that redirects is not followed",
      (response) => response.writeHead(307, { location: "http://localhost:1/" }).end(),
      { code: "redirected" },
    ],
  ])("%s", async (_name, respond, expected) => {
    const { url, got } = await httpServer(respond);
    const tryon = client(url, { retries: 0 });
    const result = await tryon.account.get().catch((error: unknown) => error);
    expect(result).toMatchObject(expected);
    expect(got[0]?.headers["accept-encoding"]).toBe("gzip");
  });
});

describe("a middleware reads the response as over fetch", () => {
  const formHeaders = { "content-type": "application/x-www-form-urlencoded" };
  const read: Record<string, (response: Response) => unknown> = {
    json: (response) => response.json(),
    text: (response) => response.text(),
    "text of a clone": async (response) => [await response.clone().text(), response.bodyUsed],
    arrayBuffer: async (response) => (await response.arrayBuffer()).byteLength,
    bytes: async (response) => (await response.bytes()).length,
    blob: async (response) => (await response.blob()).type,
    formData: async (response) =>
      [...(await new Response(response.body, { headers: formHeaders }).formData()).keys()].length,
    "formData of JSON": (response) => response.formData().catch((error: Error) => error.name),
    body: async (response) => (await response.body?.getReader().read())?.value?.length,
    "body of a copy": async (response) => new Response(response.body, response).json(),
    "headers and status": ({ headers, status, ok }) =>
      [headers.get("X-Request-Id"), headers.has("content-type"), status, ok].join(),
    "a body that is read": async (response) => {
      await response.text();
      const again = await response.json().catch((error: Error) => error.name);
      return [response.bodyUsed, again];
    },
  };
  it.each(Object.keys(read))("%s", async (name) => {
    const { url } = await httpServer((response) => {
      response.writeHead(200, { "content-type": "application/json", "x-request-id": "req_1" });
      response.end(accountBody);
    });
    const got: unknown[] = [];
    const middleware: Middleware = async (request, next) => {
      got.push(await read[name]?.(await next(request)));
      return Response.json({ credits_remaining: 5 });
    };
    await client(url, { middleware }).account.get();
    await client(url, { middleware, transport: "fetch" }).account.get();
    const [overHttp, overFetch] = got;
    expect(overHttp).toEqual(overFetch);
    expect(overHttp).toBeDefined();
  });

  it.each<[string, TryOnOptions]>([
    ["with", { middleware: (request, next) => next(request) }],
    ["without", {}],
  ])("and a caller %s one gets a response that is read", async (_name, options) => {
    const { url } = await httpServer((response) => response.end(accountBody));
    const { response, data } = await client(url, options).account.get().withResponse();
    expect(response).toBeInstanceOf(Response);
    expect([response.bodyUsed, data.credits_remaining]).toEqual([true, 5]);
  });
});

/** Replaces the dispatcher of the `fetch` of Node until the end of the test. */
function replaceDispatcher(dispatcher: object, version: number): void {
  const name = Symbol.for(`undici.globalDispatcher.${version}`);
  const before: unknown = Reflect.get(globalThis, name);
  Reflect.set(globalThis, name, dispatcher);
  onTestFinished(() => void Reflect.set(globalThis, name, before));
}

describe("a replaced fetch gets the requests", () => {
  it("also if it was replaced after the client's first request", async () => {
    const { url, got } = await httpServer((response) => response.end(accountBody));
    const tryon = client(url);
    await tryon.account.get();
    const replaced = vi.fn<typeof fetch>(async () => new Response(accountBody));
    vi.stubGlobal("fetch", replaced);
    onTestFinished(() => void vi.unstubAllGlobals());
    await tryon.account.get();
    expect([got.length, replaced.mock.calls.length]).toEqual([1, 1]);
  });

  it.each<[string, object | undefined, string]>([
    ["of Next.js", { __nextPatched: true }, "http"],
    ["of OpenTelemetry", { __original: fetch }, "http"],
    ["of OpenTelemetry around another one", { __original: () => undefined }, "fetch"],
    ["of sinon around that of Next.js", { __nextPatched: true, isSinonProxy: true }, "fetch"],
    ["of dd-trace", undefined, "http"],
  ])("but not to a wrapper %s", async (_name, fields, expected) => {
    const { url, got } = await httpServer((response) => response.end(accountBody));
    const wrappedFetch = fetch;
    // The source of dd-trace.
    const source = "return function fetch (input, init) {\n  return wrappedFetch(input, init)\n}";
    // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- The compiler would change the source.
    const wrapper = new Function("wrappedFetch", source)(wrappedFetch) as typeof fetch;
    vi.stubGlobal(
      "fetch",
      Object.assign(
        fields ? (...given: Parameters<typeof fetch>) => wrappedFetch(...given) : wrapper,
        fields,
      ),
    );
    Reflect.set(globalThis, Symbol.for("dd-trace"), {});
    onTestFinished(() => {
      vi.unstubAllGlobals();
      Reflect.deleteProperty(globalThis, Symbol.for("dd-trace"));
    });
    await client(url).account.get();
    expect(got.map(({ headers }) => ("sec-fetch-mode" in headers ? "fetch" : "http"))).toEqual([
      expected,
    ]);
  });

  it("unless transport is node, and a client with an agent sends nothing in a test", async () => {
    const { url, got } = await httpServer((response) => response.end(accountBody));
    vi.stubGlobal("fetch", async () => new Response("{}"));
    onTestFinished(() => void vi.unstubAllGlobals());
    await client(url, { transport: "node" }).account.get();
    const agent = new http.Agent();
    await expect(client(url, { agent }).account.get()).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining('transport: "node"') as unknown,
    });
    await client(url, { agent, transport: "node" }).account.get();
    expect(got.length).toBe(2);
  });

  const agent = new http.Agent();
  it.each<[TryOnOptions, string]>([
    [{ agent, fetch }, "agent cannot be combined with fetch"],
    [{ agent, transport: "fetch" }, "agent cannot be combined with fetch"],
    [{ transport: "other" as "node" }, 'transport must be "fetch" or "node"'],
    [{ transport: "node", fetch }, 'transport: "node" excludes fetch'],
    [{ fetch: {} as typeof fetch }, "fetch must be a function"],
  ])("with options that allow it: not %j", (options, message) => {
    expect(() => client("http://127.0.0.1:2", options)).toThrow(message);
  });

  it.each([1, 2])("and so does dispatcher %i", async (version) => {
    const { url, got } = await httpServer((response) => response.end(accountBody));
    const tryon = client(url, { retries: 0 });
    await fetch(url);
    class MockAgent {
      dispatch(): void {
        throw new Error("mocked");
      }
    }
    replaceDispatcher(new MockAgent(), version);
    await tryon.account.get().catch(() => undefined);
    // Only the `fetch` of some versions of Node uses a dispatcher of this version.
    const sentByNode = got.filter(({ headers }) => !("sec-fetch-mode" in headers));
    expect(sentByNode).toEqual([]);
  });
});

const succeeded = (url: string) => jobBody({ status: "succeeded", result_url: url });
const imageOf = async (tryon: TryOn) => {
  const { image } = await tryon.jobs.resume("job_1").result();
  return new TextDecoder().decode((await image.bytes()).subarray(smallPng.length));
};
/** Creates a PNG with a text behind it. */
const pngWith = (text: string) => Buffer.concat([smallPng, Buffer.from(text)]);

/** Starts a proxy and a server of this machine. The variables have the names that Node reads first. */
async function openProxy() {
  const own = await httpServer((response) => response.end(pngWith("image")));
  const proxy = await httpServer((response) => response.end(succeeded(`${own.url}/image`)));
  vi.stubEnv("http_proxy", proxy.url);
  vi.stubEnv("no_proxy", "other.example");
  onTestFinished(() => void vi.unstubAllEnvs());
  const paths = () => [proxy, own].map(({ got }) => got.map(({ url }) => url));
  return { port: new URL(own.url).port, paths };
}
const remote = () => client("http://tryon.example", { allowInsecure: true, retries: 0 });

describe("the proxy of the environment", () => {
  it("gets requests, but not those to this machine", async () => {
    const { port, paths } = await openProxy();
    expect(await imageOf(remote())).toBe("image");
    const hosts = ["127.0.0.1", "localhost", "localhost.", "shop.localhost", "127.0.0.2", "[::1]"];
    // Some hosts do not respond.
    await Promise.allSettled(
      hosts.map((host) => client(`http://${host}:${port}`, { retries: 0 }).account.get()),
    );
    const [via, direct] = paths();
    expect(via).toEqual(["http://tryon.example/api/v1/tryon/job_1"]);
    expect(direct?.slice(0, 2)).toEqual(["/image", "/api/v1/account"]);
  });

  it("gets no requests to this machine by the dispatcher of NODE_USE_ENV_PROXY", async () => {
    const { port, paths } = await openProxy();
    const dispatched: unknown[] = [];
    class EnvHttpProxyAgent {
      dispatch({ origin }: { readonly origin: unknown }): void {
        dispatched.push(String(origin));
        throw new Error("sent to the proxy");
      }
    }
    replaceDispatcher(new EnvHttpProxyAgent(), 1);
    await failure(client(`http://127.0.0.1:${port}`, { retries: 0 }).account.get());
    expect(paths()).toEqual([[], ["/api/v1/account"]]);
    await failure(remote().account.get());
    expect(dispatched).toEqual(["http://tryon.example"]);
  });
});

describe("an agent", () => {
  it("of the caller is used for the service and for images of its protocol", async () => {
    const image = await httpServer((response) => response.end(pngWith("image")));
    const secureImage = await secureServer(() => pngWith("secure image"));
    for (const [url, content] of [
      [image.url, "image"],
      [secureImage, "secure image"],
    ] as const) {
      const service = await secureServer(() => succeeded(url));
      const agent = agentWithTestCertificate();
      const tryon = client(service, { agent });
      expect(await imageOf(tryon)).toBe(content);
      // Its connections are the caller's.
      tryon.close();
      const idle = Object.values(agent.freeSockets).flat();
      expect(idle[0]).toMatchObject({ destroyed: false });
    }
    const { cause } = (await failure(
      client(image.url, { agent: agentWithTestCertificate() }).account.get(),
    )) as Error;
    expect(cause).toMatchObject({ code: "ERR_INVALID_PROTOCOL" });
  });

  it("of the client is one per protocol", async () => {
    const image = await secureServer(() => pngWith("image"));
    const { url } = await httpServer((response) => response.end(succeeded(image)));
    const { cause } = (await failure(imageOf(client(url, { retries: 0 })))) as Error;
    expect(cause).toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  });
});

describe("msw gets the requests", () => {
  const native = globalThis.fetch;
  // No server listens there.
  const baseUrl = "http://127.0.0.1:2";
  it.each<[string, TryOnOptions, boolean]>([
    ["of a client with default options", {}, true],
    ["over fetch", { transport: "fetch" }, true],
    ["over node:http", {}, false],
  ])("%s", async (_name, options, replacesFetch) => {
    const mock = createMock({ latency: 0 });
    const server = setupServer(...handlers(mock, { baseUrl }));
    server.listen();
    const { fetch } = globalThis;
    onTestFinished(() => {
      globalThis.fetch = fetch;
      server.close();
    });
    if (!replacesFetch) globalThis.fetch = native;
    const tryon = client(baseUrl, { apiKey: mock.keys.live, retries: 0, ...options });
    const photo = new Blob([assetBytes("person.jpg")]);
    const { image } = await tryon.run({ person: photo, garments: [photo] });
    expect(String.fromCharCode(...(await image.bytes()).subarray(1, 4))).toBe("PNG");
  });
});

/** Opens eight idle connections, which the server then has forgotten: it fails the next request of each. */
async function openForgotten(fail: (socket: Socket) => void, options: TryOnOptions = {}) {
  const known = new Set<Socket>();
  const held: ServerResponse[] = [];
  let [old, fresh] = [0, 0];
  let isForgotten = false;
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const { socket } = request;
    if (known.has(socket) && isForgotten) {
      old += 1;
      return fail(socket);
    }
    known.add(socket);
    if (isForgotten) {
      fresh += 1;
      request.resume().on("end", () => response.end(jobBody()));
    } else if (held.push(response) === 8) {
      for (const one of held) one.end(accountBody);
      isForgotten = true;
    }
    return undefined;
  });
  const tryon = client(await listen(server), { random: () => 0, ...options });
  await Promise.all(Array.from({ length: 8 }, () => tryon.account.get()));
  return { tryon, counts: () => [old, fresh] };
}

describe("connections", () => {
  it("are kept for the next request, and closed by close()", async () => {
    let opened = 0;
    let open = 0;
    let onRequest: (() => void) | undefined;
    const server = createServer((_request, response) => {
      onRequest?.();
      response.end(accountBody);
    });
    server.on("connection", (socket) => {
      opened += 1;
      open += 1;
      socket.on("close", () => (open -= 1));
    });
    const tryon = client(await listen(server));
    for (let call = 0; call < 3; call += 1) await tryon.account.get();
    expect([opened, open]).toEqual([1, 1]);
    onRequest = () => tryon.close();
    expect((await tryon.account.get()).credits_remaining).toBe(5);
    await vi.waitFor(() => expect(open).toBe(0));
    onRequest = undefined;
    await tryon.account.get();
    expect(opened).toBe(2);
  });

  it.each<[string, (socket: Socket) => void, TryOnOptions]>([
    ["resets", (socket) => socket.resetAndDestroy(), {}],
    ["closes", (socket) => socket.destroy(), {}],
    ["never answers on", () => undefined, { attemptTimeout: 1_000 }],
  ])("that a server %s are not tried one after the other", async (_name, fail, options) => {
    const { tryon, counts } = await openForgotten(fail, options);
    expect((await tryon.submit(input)).id).toBe("job_1");
    expect(counts()).toEqual([1, 1]);
  });

  it("in use are not closed with idle ones", async () => {
    const finish: (() => void)[] = [];
    let count = 0;
    const server = createServer((request, response) => {
      count += 1;
      // Three connections: two stay in use, and the third fails once it is used again.
      if (count <= 3) finish.push(() => response.end(accountBody));
      else if (count === 4) request.socket.resetAndDestroy();
      else response.end(accountBody);
      if (count === 3) finish.pop()?.();
    });
    const tryon = client(await listen(server), { random: () => 0 });
    const calls = Array.from({ length: 3 }, () => tryon.account.get());
    await Promise.race(calls);
    await tryon.account.get();
    for (const end of finish) end();
    for (const call of calls) expect(await call).toMatchObject({ credits_remaining: 5 });
    expect(count).toBe(5);
  });

  it("to another server are not closed", async () => {
    const agent = new http.Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const other = await httpServer((response) => response.end(accountBody));
    await client(other.url, { agent }).account.get();
    const { tryon } = await openForgotten((socket) => socket.destroy(), { agent });
    await tryon.submit(input);
    const names = Object.keys(agent.freeSockets).map((name) => name.split(":")[1]);
    expect(names).toContain(new URL(other.url).port);
  });
});

it("adapts streams to a fetch that has those of Node", async () => {
  const mock = createMock({ latency: 0 });
  const bodies: unknown[] = [];
  const nodeFetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    bodies.push(init.body);
    const body: unknown = init.body instanceof Readable ? await buffer(init.body) : init.body;
    const response = await mock.fetch(new Request(url, { ...init, body: body as BodyInit | null }));
    const { status, headers, ok } = response;
    const stream = Readable.from([new Uint8Array(await response.arrayBuffer())]);
    return { status, headers, ok, url, body: stream } as unknown as Response;
  };
  const fetch = Object.assign(nodeFetch, { isRedirect: () => false });
  const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: mock.baseUrl, fetch });
  const person = new Uint8Array(400_000).fill(1);
  person.set([0xff, 0xd8, 0xff, 0xe0]);
  const { image } = await tryon.run({ person, garments: ["https://shop.example/shirt.png"] });
  expect((await image.bytes())[1]).toBe(80);
  expect(bodies[0]).toBeInstanceOf(Readable);
});
