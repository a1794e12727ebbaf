import { networkInterfaces } from "node:os";

import { describe, expect, test } from "vitest";

import { controls } from "../../test/controls.ts";
import { served } from "../../test/served.ts";
import { failureOf } from "../../test/with-faults.ts";
import type { ServeOptions } from "./serve.ts";

async function start(options: ServeOptions = {}) {
  const { mock, server, submit, open } = await served(options);
  /** Returns the status of a request that fetch does not send. */
  const statusOf = async (url: string, ...lines: readonly string[]): Promise<number> => {
    const head = [`GET ${url} HTTP/1.1`, ...lines, "Connection: close"].join("\r\n");
    const text = await open(`${head}\r\n\r\n`).closed;
    return Number(/^HTTP\/1.1 (\d+) /.exec(text)?.[1]);
  };
  const authorization = `Authorization: Bearer ${server.controlToken}`;
  const requests = controls(fetch, server.url, server.controlToken);
  return { mock, server, submit, statusOf, authorization, ...requests };
}

describe("the control API over HTTP", () => {
  test("responds to a reset that ends the requests of the service", async () => {
    const { mock, submit, post } = await start();
    const failure = failureOf(submit({ wait: true }));
    await mock.journal.waitFor("POST /api/v1/tryon", { until: "arrived" });
    expect(await post("reset")).toEqual({ status: 200, body: {} });
    expect((await failure).message).toBe("fetch failed");
  });

  test.each([
    "forwarded",
    "via",
    "cdn-loop",
    "x-forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-original-forwarded-for",
    "x-original-host",
    "x-envoy-external-address",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "true-client-ip",
    "cf-connecting-ip",
    "fastly-client-ip",
    "x-azure-clientip",
    "x-appengine-user-ip",
  ])("is closed for the header %s of a proxy, unless `openControl` is set", async (name) => {
    const closed = await start();
    const opened = await start({ openControl: true });
    for (const value of ["127.0.0.1", ""]) {
      const headers = ["Host: localhost", `${name}: ${value}`];
      const withToken = [...headers, closed.authorization];
      expect(await closed.statusOf("/__mock/options", ...withToken)).toBe(403);
      expect(await opened.statusOf("/__mock/options", ...headers)).toBe(200);
    }
  });

  test.each([
    ["http://shop.example", "localhost", "X: 0", 403],
    ["http://localhost", "shop.example", "X: 0", 403],
    ["http://localhost", "localhost.shop.example", "X: 0", 403],
    ["http://localhost.shop.example", "localhost", "X: 0", 403],
    ["http://localhost", "", "X: 0", 403],
    ["http://127.0.0.1:1", "localhost", "Forwarded: for=203.0.113.9", 403],
    ["http://127.0.0.1:1", "localhost", "X-Forwarded-Proto: https", 403],
    ["http://[::1]", "[::1]:4010", "X: 0", 200],
    ["http://localhost", "LOCALHOST:4010", "X: 0", 200],
    ["", "shop.example", "X: 0", 403],
    ["", "192.168.0.7:4010", "X: 0", 403],
    ["", "[::1]", "X: 0", 200],
    ["", "localhost:4010", "X: 0", 200],
  ])("checks the target %s/__mock/ and the host %j", async (origin, host, more, status) => {
    const { statusOf, authorization } = await start();
    for (const path of ["/__mock/options", "/x/../__mock/options", "/%2e/__mock/options"]) {
      const head = [`Host: ${host}`, more];
      expect(await statusOf(`${origin}${path}`, ...head, authorization)).toBe(status);
      expect(await statusOf(`${origin}${path}`, ...head)).toBe(status === 200 ? 401 : status);
    }
  });

  test("is closed to other machines, unless `openControl` is set", async () => {
    const ip = Object.values(networkInterfaces())
      .flatMap((interfaces) => interfaces ?? [])
      .find(({ family, internal }) => family === "IPv4" && !internal);
    // Without a network, this machine has no other IP address.
    if (ip === undefined) return;
    const closed = await start({ host: "0.0.0.0" });
    const opened = await start({ host: "0.0.0.0", openControl: true });
    const headers = { authorization: `Bearer ${closed.server.controlToken}` };
    const statusAt = async (port: number, path: string): Promise<number> =>
      (await fetch(`http://${ip.address}:${port}${path}`, { headers })).status;
    expect(await statusAt(closed.server.port, "/__mock/options")).toBe(403);
    expect(await statusAt(opened.server.port, "/__mock/options")).toBe(200);
    expect(await statusAt(closed.server.port, "/api/discovery")).toBe(200);
  });
});

const open = (url: string) => fetch(url, { redirect: "manual" });

describe("the token of the control API over HTTP", () => {
  test.each(["", "Bearer", "Bearer svc_live_mock", "Basic TOKEN", "Bearer TOKENx", "TOKEN"])(
    "is required: %j is not enough",
    async (value) => {
      const { server } = await start();
      const authorization = value.replace("TOKEN", server.controlToken);
      for (const path of ["options", "state", "images/job_1.png", "nowhere"]) {
        const response = await fetch(`${server.url}/__mock/${path}`, {
          headers: { authorization },
        });
        expect(response.status).toBe(401);
        expect(response.headers.get("www-authenticate")).toBe("Bearer");
        expect(await response.text()).toContain("TRYON_MOCK_TOKEN");
      }
      const reset = await fetch(`${server.url}/__mock/reset`, { method: "POST" });
      expect(reset.status).toBe(401);
    },
  );

  test("is not required in process, and with `openControl`", async () => {
    const { mock } = await start();
    expect((await mock.fetch(`${mock.baseUrl}/__mock/options`)).status).toBe(200);
    const { server } = await start({ openControl: true });
    expect((await fetch(`${server.url}/__mock/options`)).status).toBe(200);
  });

  test("is random, or given", async () => {
    const tokens = [await start(), await start()].map(({ server }) => server.controlToken);
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{32}$/);
    const { server } = await start({ controlToken: "a-token-of-my-own" });
    expect(server.controlToken).toBe("a-token-of-my-own");
  });

  test.each(["", "short", "a token with spaces", "x".repeat(201), 5])(
    "is valid: %j is not",
    (token) => {
      // Callers without types may pass anything.
      const started = start({ controlToken: token as string });
      return expect(started).rejects.toThrow("16 to 200 letters, digits, _ and -.");
    },
  );

  test("opens the page in a browser by its URL, which sets a cookie", async () => {
    const { server } = await start();
    const page = `${server.url}/__mock/`;
    // The page has no data of the server.
    expect((await open(page)).status).toBe(200);
    expect((await open(`${page}?token=wrong`)).headers.get("set-cookie")).toBeNull();
    const opened = await open(`${page}?token=${server.controlToken}`);
    expect(opened.status).toBe(302);
    expect(opened.headers.get("location")).toBe("/__mock/");
    expect(opened.headers.get("cache-control")).toBe("no-store");
    const [cookie = "", ...attributes] = (opened.headers.get("set-cookie") ?? "").split("; ");
    expect(attributes).toEqual(["Path=/__mock", "HttpOnly", "SameSite=Strict"]);
    const statusWith = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${page}state`, { headers })).status;
    expect(await statusWith({ cookie: `a=b; ${cookie}` })).toBe(200);
    expect(await statusWith({ cookie: `x${cookie}` })).toBe(401);
    // Pages of other ports send the cookie, too.
    const origin = "http://127.0.0.1:1";
    expect(await statusWith({ cookie, origin })).toBe(403);
  });
});
