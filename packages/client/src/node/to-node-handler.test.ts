import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { TryOn, type TryOnOptions } from "../index.ts";
import { createProxy, type ProxyOptions } from "../proxy/index.ts";
import { listen } from "../../test/http-server.ts";
import { serveUpstream, tryOn } from "../../test/proxy-service.ts";
import { assetBytes, input } from "../../test/service.ts";
import { toNodeHandler } from "./index.ts";

const submitPath = "/api/tryon/api/v1/tryon";

/** Opens a reference server and its proxy over HTTP, and a page that authenticates by a header. */
async function openSite(options: Partial<ProxyOptions> = {}) {
  const { mock, nodeProxy } = await serveUpstream(({ headers }) => {
    return { id: headers.get("authorization") ?? "" };
  });
  const site = await listen(createServer(nodeProxy(options)));
  const page = (user: string, own: TryOnOptions = {}): TryOn =>
    new TryOn({
      proxyUrl: `${site}/api/tryon`,
      random: () => 0,
      middleware: (one, next) => {
        one.headers.set("authorization", user);
        return next(one);
      },
      ...own,
    });
  return { mock, site, page };
}

/** Opens a connection until the end of the test. */
async function connectTo(site: string): Promise<Socket> {
  const { port, hostname } = new URL(site);
  const socket = connect(Number(port), hostname).setEncoding("latin1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Creates the head of a submission, up to the length of its body. */
const head = (method = "POST", path = submitPath, host = "shop.example"): string =>
  `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ada\r\ncontent-type: application/json\r\nidempotency-key: a\r\n`;

/** Serves a fetch handler with `node:http`, behind other middleware. */
const serveHandler = (
  handler: Parameters<typeof toNodeHandler>[0],
  before: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown = () => undefined,
) => {
  const nodeHandler = toNodeHandler(handler);
  const listener = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    await before(incoming, outgoing);
    nodeHandler(incoming, outgoing);
  };
  return listen(createServer((...call) => void listener(...call)));
};

const readBody = (incoming: IncomingMessage) => once(incoming.resume(), "end");

describe("a proxy on node:http", () => {
  it("makes a try-on once, despite connection resets upstream", async () => {
    const { mock, page } = await openSite();
    const fault = { on: "POST /api/v1/tryon", times: 1 } as const;
    mock.faults.add({ ...fault, reset: "before" });
    mock.faults.add({ ...fault, reset: "after" });
    const person = assetBytes("person.jpg");
    const garments = [new Blob([assetBytes("shirt.png"), new Uint8Array(300_000)])];
    const result = await page("ada").run({ person, garments });
    expect((await result.image.bytes()).length).toBeGreaterThan(1_000);
    expect(result.receipt.attempts).toHaveLength(3);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
    const other = page("bob").jobs.get(result.job.id);
    await expect(other).rejects.toMatchObject({ code: "not_found" });
  });

  it("passes the request of Node to authorize, with the session that a middleware added", async () => {
    interface WithSession extends IncomingMessage {
      session?: { readonly customer: string };
    }
    const { mock, page } = await openSite();
    const own = createProxy({
      basePath: "/",
      apiKey: mock.keys.live,
      baseUrl: mock.baseUrl,
      fetch: mock.fetch,
      onError: () => undefined,
      authorize: (_request, { session }: WithSession) => session && { id: session.customer },
    });
    // @ts-expect-error The second argument is missing.
    expect((await own(new Request("https://shop.example/api/v1/tryon/job_1"))).status).toBe(500);
    const handler = toNodeHandler(own);
    const shop = await listen(
      createServer((incoming: WithSession, outgoing) => {
        const { authorization } = incoming.headers;
        if (authorization !== undefined) incoming.session = { customer: authorization };
        handler(incoming, outgoing);
      }),
    );
    const { job } = await page("ada", { proxyUrl: shop }).run(input);
    const other = page("bob", { proxyUrl: shop }).jobs.get(job.id);
    await expect(other).rejects.toMatchObject({ code: "not_found" });
    expect((await fetch(`${shop}/api/v1/tryon/${job.id}`)).status).toBe(401);
  });

  it("uses the bytes in rawBody where the platform has read the body", async () => {
    const { mock, nodeProxy } = await serveUpstream(() => ({ id: "ada" }));
    const handler = nodeProxy();
    const read = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
      const rawBody = await buffer(incoming);
      handler(Object.assign(incoming, { rawBody, body: {} }), outgoing);
    };
    const site = await listen(createServer((...call) => void read(...call)));
    const tryon = new TryOn({ proxyUrl: `${site}/api/tryon` });
    const person = new Blob([assetBytes("person.jpg"), new Uint8Array(2_400_000)]);
    const { image } = await tryon.run({ ...input, person });
    expect((await image.bytes()).length).toBeGreaterThan(1_000);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  it("responds with 413 while the body is still arriving", async () => {
    const { page } = await openSite({ maxBody: 100_000 });
    const person = new Blob([assetBytes("person.jpg"), new Uint8Array(8_000_000)]);
    const submitted = page("ada").submit({ ...input, person });
    await expect(submitted).rejects.toMatchObject({ code: "payload_too_large" });
  });

  it.each<[number, Partial<ProxyOptions>]>([
    [401, { authorize: () => null }],
    [429, { limit: () => ({ retryAfter: 60 }) }],
  ])(
    "reads the rest of a body after an early %i, so that the client receives it",
    async (...row) => {
      const [status, own] = row;
      // Like a browser, reads the response after it has sent the body.
      const socket = (await connectTo((await openSite(own)).site)).pause();
      const photo = new Uint8Array(12_000_000);
      socket.write(`${head()}content-length: ${photo.length}\r\n\r\n`);
      socket.write(photo);
      await once(socket, "drain");
      expect((await once(socket.resume(), "data")).join()).toContain(`HTTP/1.1 ${status} `);
    },
  );

  it.each<[number, Partial<ProxyOptions>]>([
    [401, { authorize: () => null }],
    [404, { basePath: "/other" }],
    [413, {}],
  ])("stops reading an endless body after an early %i", async (status, own) => {
    const socket = await connectTo((await openSite(own)).site);
    const closed = new Promise((resolve) => void socket.once("close", resolve));
    let received = "";
    socket.on("data", (text) => (received += String(text)));
    socket.on("error", () => undefined);
    const chunk = `100000\r\n${"\0".repeat(1_048_576)}\r\n`;
    let sent = 0;
    function* upload() {
      yield `${head()}transfer-encoding: chunked\r\n\r\n`;
      for (; sent < 2_000_000_000; sent += chunk.length) yield chunk;
    }
    Readable.from(upload()).pipe(socket);
    await closed;
    expect(received).toContain(`HTTP/1.1 ${status} `);
    expect(received.toLowerCase()).toContain("connection: close\r\n");
    // The limit, and the buffers of both ends of the connection.
    expect(sent).toBeLessThan(60_000_000);
  });

  it("closes the connection after 5 seconds if the client stops sending after an early response", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => timers.mockRestore());
    const url = await serveHandler(async () => new Response("no", { status: 401 }));
    const socket = await connectTo(url);
    socket.write(`${head()}content-length: 1000000\r\n\r\n{`);
    const [response] = await once(socket, "data");
    expect(response).toMatch(/^HTTP\/1.1 401 [^]*connection: close\r\n[^]*\r\n\r\nno$/i);
    const [end] = timers.mock.calls.find(([, delay]) => delay === 5_000) ?? [];
    expect([socket.readableEnded, end]).toEqual([false, expect.any(Function)]);
    end?.();
    await once(socket, "close");
  });

  it.each(["not", "partly"])(
    "keeps the connection after a response to a small body that the handler has %s read",
    async (read) => {
      const url = await serveHandler(async ({ body }) => {
        const reader = read === "partly" ? body?.getReader() : undefined;
        await reader?.read();
        await reader?.cancel();
        return new Response("no", { status: 401 });
      });
      const socket = await connectTo(url);
      const begin = `${head()}content-length: 65536\r\n\r\n{`;
      for (const text of [begin, " ".repeat(65_535) + begin]) {
        socket.write(text);
        const [response] = await once(socket, "data");
        expect(response).toMatch(/^HTTP\/1.1 401 [^]*connection: keep-alive/i);
      }
    },
  );

  it.each([
    ["POST", "/api/tryon/assets/logo.png", "shop.example/api/tryon/api/v1/tryon?", 400],
    ["POST", "/api/tryon/assets/logo.png", "shop.example/api/tryon/api/v1/tryon#", 400],
    ["POST", "/api/tryon/assets/logo.png", "shop.example\\api\\tryon\\api\\v1\\tryon?", 400],
    ["POST", submitPath, "shop.example?", 400],
    ["POST", submitPath, "shop.example#", 400],
    ["POST", submitPath, "ada@shop.example", 400],
    ["POST", submitPath, "shop.example/", 400],
    ["POST", "/api/tryon/assets/../api/v1/tryon", undefined, 400],
    ["POST", "/api/tryon/assets/%2E%2e/api/v1/tryon", undefined, 400],
    ["POST", "/assets/../api/tryon/api/v1/tryon", undefined, 400],
    ["POST", "/api/tryon/.\\api/v1/tryon", undefined, 400],
    ["POST", "/api\\tryon\\api\\v1\\tryon", undefined, 400],
    ["GET", "//evil.example/api/v1/tryon/job_1", undefined, 404],
    ["GET", "http://evil.example/api/v1/account", undefined, 404],
    ["GET", "/api/v1/tryon/../account", undefined, 400],
    ["GET", "/%", undefined, 404],
    ["GET", "*", undefined, 404],
  ])("sends no request for %s %s with the Host %s", async (method, path, host, status) => {
    const { mock, site } = await openSite();
    const socket = await connectTo(site);
    // `fetch` would normalize the path and the host.
    const body = JSON.stringify(tryOn);
    socket.write(`${head(method, path, host)}content-length: ${body.length}\r\n\r\n${body}`);
    expect((await once(socket, "data")).join()).toContain(`HTTP/1.1 ${status} `);
    expect(mock.journal.entries()).toEqual([]);
  });

  it("uses the full path if Express removes the mount path", async () => {
    const site = await serveHandler(
      async ({ url }) => new Response(url),
      (incoming) => Object.assign(incoming, { originalUrl: incoming.url, url: "/a?b=c" }),
    );
    const url = `${site}/api/a?b=c`;
    expect(await (await fetch(url)).text()).toBe(url);
  });

  it("aborts the signal of the request if the client disconnects", async () => {
    const signals: AbortSignal[] = [];
    const url = await serveHandler(async ({ signal }) => {
      signals.push(signal);
      socket.destroy();
      await once(signal, "abort");
      return new Response();
    });
    const socket = await connectTo(url);
    socket.write(`${head("GET")}\r\n`);
    await vi.waitFor(() => expect(signals).toMatchObject([{ aborted: true }]));
  });

  it("sends each cookie of a response", async () => {
    const response = new Response("hello", { status: 201 });
    for (const cookie of ["a=1", "b=2"]) response.headers.append("set-cookie", cookie);
    const got = await fetch(await serveHandler(async () => response));
    expect([got.status, await got.text()]).toEqual([201, "hello"]);
    expect(got.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  const odd = new Response("", { headers: { "x-fine": "1", "x-odd": "\u0001" } });
  it.each<[string, ...Parameters<typeof serveHandler>]>([
    ["Mount this handler before", async () => new Response(), readBody],
    ["The handler failed", () => Promise.reject(new Error("no"))],
    // A network error has no status.
    ["invalid response", async () => Response.error()],
    ["invalid response", async () => odd],
  ])("responds with 500 and the reason: %s", async (reason, ...served) => {
    const got = await fetch(await serveHandler(...served), { method: "POST", body: "{}" });
    expect([got.status, got.headers.get("x-fine")]).toEqual([500, null]);
    expect(await got.text()).toContain(reason);
  });

  it("does not change a response that other middleware has started", async () => {
    const begun: ServerResponse[] = [];
    const url = await serveHandler(
      async () => new Response("late"),
      ({ url: path }, outgoing) => {
        if (path !== "/slow") return;
        outgoing.write("too slow");
        begun.push(outgoing);
      },
    );
    const slow = await fetch(`${url}/slow`);
    expect(await (await fetch(url)).text()).toBe("late");
    for (const one of begun) one.end();
    expect(await slow.text()).toBe("too slow");
  });
});
