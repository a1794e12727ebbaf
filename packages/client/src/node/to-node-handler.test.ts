import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { describe, expect, it, onTestFinished } from "vitest";

import { isTryOnError, TryOn, type TryOnOptions } from "../index.ts";
import { createProxy, type ProxyOptions } from "../proxy/index.ts";
import { listen } from "../../test/http-server.ts";
import { assetBytes, input, profile } from "../../test/service.ts";
import { toNodeHandler } from "./index.ts";

/** Opens a reference server and its proxy over HTTP, and a page that authenticates by a header. */
async function openSite(options: Partial<ProxyOptions> = {}) {
  const mock = createMock({ seed: "proxy", latency: 0, profile });
  const service = await serve(mock);
  onTestFinished(async () => {
    await service.close();
    mock.close();
  });
  const proxy = createProxy({
    apiKey: mock.keys.live,
    baseUrl: service.url,
    authorize: ({ headers }) => ({ id: headers.get("authorization") ?? "" }),
    onError: () => undefined,
    ...options,
  });
  const site = await listen(createServer(toNodeHandler(proxy)));
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

/** Sends a path and a Host unchanged, which `fetch` would normalize. */
function statusOf(site: string, method: string, path: string, host?: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: "ada",
      "content-type": "application/json",
      "idempotency-key": "a",
      ...(host !== undefined && { host }),
    };
    const { port } = new URL(site);
    const call = request({ port, path, method, headers, host: "127.0.0.1" }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.once("error", reject);
    const { person, garments } = input;
    call.end(
      method === "GET" ? "" : JSON.stringify({ person_url: person, garment_urls: garments }),
    );
  });
}

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
    const other: unknown = await page("bob")
      .jobs.get(result.job.id)
      .catch((error: unknown) => error);
    expect(other).toMatchObject({ code: "not_found" });
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
    await expect(page("bob", { proxyUrl: shop }).jobs.get(job.id)).rejects.toMatchObject({
      code: "not_found",
    });
    expect((await fetch(`${shop}/api/v1/tryon/${job.id}`)).status).toBe(401);
  });

  it("responds with 413 while the body is still arriving", async () => {
    const { page } = await openSite({ maxBody: 100_000 });
    const person = new Blob([assetBytes("person.jpg"), new Uint8Array(8_000_000)]);
    const error: unknown = await page("ada")
      .submit({ ...input, person })
      .catch((thrown: unknown) => thrown);
    expect(isTryOnError(error) && error.code).toBe("payload_too_large");
  });

  it.each<[string, Partial<ProxyOptions>, number]>([
    ["401", { authorize: () => null }, 401],
    ["429", { limit: () => ({ retryAfter: 60 }) }, 429],
  ])(
    "reads the rest of a body after an early %s, so that the client receives it",
    async (_, own, status) => {
      const { site } = await openSite(own);
      const { port, hostname, host } = new URL(site);
      // Like a browser, reads the response after it has sent the body.
      const socket = connect(Number(port), hostname).pause();
      const photo = new Uint8Array(12_000_000);
      const head = `POST /api/tryon/api/v1/tryon HTTP/1.1\r\nhost: ${host}\r\nauthorization: ada\r\nidempotency-key: a`;
      socket.write(`${head}\r\ncontent-length: ${photo.length}\r\n\r\n`);
      socket.write(photo);
      await once(socket, "drain");
      const [response] = (await once(socket.resume(), "data")) as [Uint8Array];
      socket.destroy();
      expect(new TextDecoder().decode(response)).toContain(`HTTP/1.1 ${status} `);
    },
  );

  it.each<[string, Partial<ProxyOptions>, number]>([
    ["401", { authorize: () => null }, 401],
    ["404", { basePath: "/other" }, 404],
    ["413", {}, 413],
  ])("stops reading an endless body after an early %s", async (_, own, status) => {
    const { site } = await openSite(own);
    const { port, hostname, host } = new URL(site);
    const socket = connect(Number(port), hostname);
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    let received = "";
    socket.setEncoding("latin1").on("data", (text) => (received += String(text)));
    socket.on("error", () => undefined);
    const head = `POST /api/tryon/api/v1/tryon HTTP/1.1\r\nhost: ${host}\r\nauthorization: ada\r\ncontent-type: application/json\r\nidempotency-key: a`;
    socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n`);
    const chunk = Buffer.concat([
      Buffer.from("100000\r\n"),
      Buffer.alloc(1_048_576),
      Buffer.from("\r\n"),
    ]);
    let sent = 0;
    const upload = (): void => {
      while (sent < 2_000_000_000 && !socket.destroyed) {
        sent += chunk.length;
        if (!socket.write(chunk)) return;
      }
    };
    socket.on("drain", upload);
    upload();
    await closed;
    expect(received).toContain(`HTTP/1.1 ${status} `);
    expect(received.toLowerCase()).toContain("connection: close\r\n");
    // The limit, and the buffers of both ends of the connection.
    expect(sent).toBeLessThan(60_000_000);
  });

  it("keeps the connection after an early response to a small body", async () => {
    const { site } = await openSite({ authorize: () => null });
    const { port, hostname, host } = new URL(site);
    const socket = connect(Number(port), hostname).setEncoding("latin1");
    onTestFinished(() => void socket.destroy());
    const head = `POST /api/tryon/api/v1/tryon HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 2\r\n\r\n`;
    for (let count = 0; count < 2; count += 1) {
      socket.write(head);
      const [response] = (await once(socket, "data")) as [string];
      expect(response).toMatch(/^HTTP\/1.1 401 [^]*connection: keep-alive/i);
      socket.write("{}");
    }
  });

  it.each([
    "shop.example/api/tryon/api/v1/tryon?",
    "shop.example/api/tryon/api/v1/tryon#",
    "shop.example\\api\\tryon\\api\\v1\\tryon?",
    "shop.example?",
    "shop.example#",
    "ada@shop.example",
    "shop.example/",
  ])("rejects the Host %s", async (host) => {
    const { mock, site } = await openSite();
    expect(await statusOf(site, "POST", "/api/tryon/assets/logo.png", host)).toBe(400);
    expect(mock.journal.entries()).toEqual([]);
  });

  it.each([
    "/api/tryon/assets/../api/v1/tryon",
    "/api/tryon/assets/%2E%2e/api/v1/tryon",
    "/assets/../api/tryon/api/v1/tryon",
    "/api/tryon/.\\api/v1/tryon",
    "/api\\tryon\\api\\v1\\tryon",
  ])("rejects the ambiguous path %s", async (path) => {
    const { mock, site } = await openSite();
    expect(await statusOf(site, "POST", path)).toBe(400);
    expect(mock.journal.entries()).toEqual([]);
  });

  it("uses the full path if Express removes the mount path", async () => {
    const paths: string[] = [];
    const handler = toNodeHandler(async ({ url }) => {
      paths.push(url);
      return new Response();
    });
    const url = await listen(
      createServer((incoming, outgoing) => {
        const { url: originalUrl = "" } = incoming;
        handler(Object.assign(incoming, { originalUrl, url: originalUrl.slice(4) }), outgoing);
      }),
    );
    await fetch(`${url}/api/a?b=c`);
    expect(paths).toEqual([`${url}/api/a?b=c`]);
  });

  it.each([
    ["//evil.example/api/v1/tryon/job_1", 404],
    ["http://evil.example/api/v1/account", 404],
    ["/api/v1/tryon/../account", 400],
    ["/%", 404],
    ["*", 404],
  ])("sends no request for %s", async (path, status) => {
    const { mock, site } = await openSite();
    expect(await statusOf(site, "GET", path)).toBe(status);
    expect(mock.journal.entries()).toEqual([]);
  });

  it("responds with 500 and the fix if other middleware has read the body", async () => {
    const handler = toNodeHandler(async () => new Response());
    const url = await listen(
      createServer((incoming, outgoing) => {
        incoming.resume();
        incoming.once("end", () => handler(incoming, outgoing));
      }),
    );
    const response = await fetch(url, { method: "POST", body: "{}" });
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining("Mount this handler before"),
    ]);
  });

  it("sends each cookie of a response, and 500 if the handler throws", async () => {
    const response = new Response("hello", { status: 201 });
    for (const cookie of ["a=1", "b=2"]) response.headers.append("set-cookie", cookie);
    const handler = toNodeHandler(async ({ method }) => {
      if (method === "GET") return response;
      throw new Error("no");
    });
    const url = await listen(createServer(handler));
    const got = await fetch(url);
    expect([got.status, await got.text()]).toEqual([201, "hello"]);
    expect(got.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(500);
  });

  it.each<[string, () => Response]>([
    ["a network error", () => Response.error()],
    [
      "a response with an invalid header",
      () => new Response("", { headers: { "x-fine": "1", "x-odd": "\u0001" } }),
    ],
  ])("responds with 500 if the handler returns %s", async (_, response) => {
    const url = await listen(createServer(toNodeHandler(async () => response())));
    const got = await fetch(url);
    expect([got.status, got.headers.get("x-fine")]).toEqual([500, null]);
    expect(await got.text()).toContain("invalid response");
  });

  it("does not change a response that other middleware has started", async () => {
    const handler = toNodeHandler(async () => new Response("late"));
    const begun: ServerResponse[] = [];
    const url = await listen(
      createServer((incoming, outgoing) => {
        if (incoming.url === "/slow") {
          outgoing.write("too slow");
          begun.push(outgoing);
        }
        handler(incoming, outgoing);
      }),
    );
    const slow = await fetch(`${url}/slow`);
    expect(await (await fetch(url)).text()).toBe("late");
    for (const one of begun) one.end();
    expect(await slow.text()).toBe("too slow");
  });
});
