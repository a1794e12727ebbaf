import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller, manualServer, tryOn } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

test.each([
  "/nowhere",
  "/api",
  "/api/v1",
  "/api/v1/tryon/",
  "/api/v1/tryon/job_1/more",
  "/api/v1/tryons",
  "/api/v2/tryon",
  "/API/V1/TRYON",
  "/results",
  "/%E0%A4%A",
])("an unknown path is 404, with or without a key: %s", async (path) => {
  covers("version.in-path");
  const response = await manualServer().anonymous.get(path);
  expect([response.status, response.body]).toEqual([404, { detail: "Not Found" }]);
});

test.each([
  ["PUT", "/api/v1/tryon", "GET, HEAD, POST"],
  ["DELETE", "/api/v1/tryon/job_1", "GET, HEAD"],
  ["POST", "/api/v1/tryon/job_1", "GET, HEAD"],
  ["POST", "/api/v1/account", "GET, HEAD"],
  ["GET", "/api/v1/credits/purchase", "POST"],
  ["GET", "/api/webhooks/payments", "POST"],
  ["POST", "/", "GET, HEAD"],
  ["POST", "/api/discovery", "GET, HEAD"],
  ["POST", "/api/docs", "GET, HEAD"],
  ["PATCH", "/api/v1/openapi.json", "GET, HEAD"],
  ["DELETE", "/results/job_1.png", "GET, HEAD"],
])("%s %s is 405 and allows %s", async (method, path, allow) => {
  const response = await manualServer().anonymous.call(path, { method });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe(allow);
  expect(response.detail).toBe("Method Not Allowed");
});

describe("every response", () => {
  test.each(["/", "/nowhere", "/api/docs", "/api/v1/account", "/results/job_1.png"])(
    "of %s has the version and the date of the server's clock",
    async (path) => {
      const { mock, anonymous } = manualServer();
      await mock.clock.advance("90m");
      const { headers } = await anonymous.get(path);
      expect(headers.get("x-mock")).toMatch(/^tryon-mock\/\d+\.\d+\.\d+/);
      expect(headers.get("date")).toBe("Thu, 01 Jan 2026 01:30:00 GMT");
    },
  );

  test("to HEAD is that to GET without a body", async () => {
    const { call } = manualServer();
    const response = await call.call<string>("/api/v1/account", { method: "HEAD" });
    expect([response.status, response.body]).toEqual([200, ""]);
  });

  test.each([
    "http://localhost",
    "http://localhost:5173",
    "https://localhost:8443",
    "http://127.0.0.1:4010",
    "http://[::1]:3000",
  ])("can be read by pages of %s, errors too", async (origin) => {
    const { call, anonymous } = manualServer();
    const responses = [
      await call.get("/api/v1/account", { origin }),
      await anonymous.get("/api/v1/account", { origin }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 401]);
    for (const { headers } of responses) {
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("vary")).toBe("Origin");
      expect(headers.get("access-control-expose-headers")).toBe(
        "X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,Retry-After,Idempotent-Replayed,Date,X-Mock",
      );
    }
  });

  test("to a request without an origin allows every origin", async () => {
    const { headers } = await manualServer().call.account();
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("vary")).toBe("Origin");
  });
});

test("a preflight needs no key", async () => {
  const response = await manualServer().anonymous.call("/api/v1/tryon", {
    method: "OPTIONS",
    headers: { origin: "http://localhost:5173", "access-control-request-method": "POST" },
  });
  expect(response.status).toBe(204);
  const allowed = response.headers.get("access-control-allow-headers")?.toLowerCase().split(",");
  expect(allowed).toEqual(["authorization", "content-type", "idempotency-key"]);
  expect(response.headers.get("access-control-allow-methods")).toContain("POST");
  expect(response.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
});

describe("a page of another machine", () => {
  const preflight = { "access-control-request-method": "POST" };

  test.each([
    "https://shop.example",
    "http://localhost.shop.example:4010",
    "http://shop-localhost",
    "http://127.0.0.1.shop.example",
    "https://localhost@shop.example",
    "http://192.168.0.7:4010",
    "chrome-extension://localhost",
    "file://",
    "null",
  ])("of the origin %s reads nothing and changes nothing", async (origin) => {
    const { call } = manualServer();
    for (const response of [
      await call.submit({ webhook_url: "http://127.0.0.1:9/hook" }, { origin }),
      await call.get("/api/v1/account", { origin }),
      await call.call("/api/v1/tryon", { method: "OPTIONS", headers: { origin, ...preflight } }),
    ]) {
      expect(response.status).toBe(403);
      expect(response.detail).toContain("--cors-origin");
      const names = [...response.headers.keys()];
      expect(names.filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
    expect((await call.list()).body.jobs).toEqual([]);
  });

  test.each([[["https://shop.example", "capacitor://localhost"]], [["*"]]])(
    "can send requests with corsOrigins %j",
    async (corsOrigins) => {
      const { call } = manualServer({ corsOrigins });
      for (const origin of ["https://shop.example", "capacitor://localhost"]) {
        const init = { method: "OPTIONS", headers: { origin, ...preflight } };
        for (const response of [
          await call.submit({}, { origin }),
          await call.call("/api/v1/tryon", init),
        ]) {
          expect(response.status).toBeLessThan(300);
          expect(response.headers.get("access-control-allow-origin")).toBe(origin);
        }
      }
    },
  );

  test.each(["", "shop.example", "https://shop.example/", "https://Shop.example", "null"])(
    "has no valid corsOrigins as %j",
    (origin) => {
      const create = () => createMock({ corsOrigins: [origin] });
      expect(create).toThrow(TypeError);
      expect(create).toThrow(`corsOrigins has no origin: ${JSON.stringify(origin)} is`);
    },
  );
});

describe("discovery", () => {
  test.each(["/", "/api/discovery"])("at %s lists every pack and its endpoint", async (path) => {
    covers(
      "discovery.document.two-urls",
      "discovery.capabilities.agentic-commerce",
      "discovery.document.shape",
      "packs.demo.price-and-credits",
      "packs.starter.price-and-credits",
      "packs.pro.price-and-credits",
      "packs.scale.price-and-credits",
      "packs.enterprise.price-and-credits",
    );
    const { mock, anonymous } = manualServer();
    const { body } = await anonymous.get(path);
    const packs = [
      { pack_slug: "demo", price_usd: 2, credits: 100 },
      { pack_slug: "starter", price_usd: 25, credits: 1_200 },
      { pack_slug: "pro", price_usd: 99, credits: 5_600 },
      { pack_slug: "scale", price_usd: 499, credits: 32_000 },
      { pack_slug: "enterprise", price_usd: 999, credits: 72_000 },
    ];
    const purchase_endpoint = `${mock.baseUrl}/api/v1/credits/purchase`;
    expect(body).toMatchObject({
      capabilities: { agentic_commerce: { purchase_endpoint, currency: "usd", packs } },
    });
  });

  test("/api/docs is a page without external resources", async () => {
    covers("discovery.docs.html-page");
    const { headers, body } = await manualServer().anonymous.get<string>("/api/docs");
    expect(headers.get("content-type")).toContain("text/html");
    expect(body).toContain("/api/v1/credits/purchase");
    expect(body).not.toMatch(/src=|@import|url\(|<link|<script/);
    // The Markdown of the contract is rendered.
    expect(body).toContain("is <strong>not</strong> an HTTP error");
    expect(body).toContain("Send an <code>Idempotency-Key</code> with every submission");
    expect(body).not.toMatch(/`|\*\*/);
  });

  test("/api/v1/openapi.json is the contract with the URL of the server", async () => {
    covers("discovery.description.openapi-json", "version.description.openapi");
    const { mock } = manualServer();
    const response = await mock.fetch("https://legacy.example/api/v1/openapi.json");
    expect(await response.json()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { version: "1.0.0" },
      servers: [{ url: "https://legacy.example" }],
    });
  });

  test.each(["/", "/api/discovery", "/api/docs", "/api/v1/openapi.json"])(
    "at %s needs a key with discoveryKey true",
    async (path) => {
      covers("discovery.key.needed");
      const { mock, call, anonymous } = manualServer({ options: { discoveryKey: true } });
      expect((await anonymous.get(path)).status).toBe(401);
      const { body } = await call.get(path);
      expect(body).toEqual((await manualServer().anonymous.get(path)).body);
      expect((await caller(mock, mock.keys.test).get(path)).status).toBe(200);
    },
  );
});

test.each([
  ["POST", "/api/v1/tryon", tryOn()],
  [
    "POST",
    "/api/v1/credits/purchase",
    { pack_slug: "demo", shared_payment_granted_token: "spt_1" },
  ],
  ["GET", "/api/v1/tryon", undefined],
  ["GET", "/api/v1/tryon/{job_id}", undefined],
  ["GET", "/api/v1/account", undefined],
  ["GET", "/api/discovery", undefined],
])("%s %s works with any host", async (method, path, body) => {
  covers("service.legacy-url.same-endpoints");
  const { mock, call } = manualServer();
  const { job_id } = (await call.submit()).body;
  const url = `https://legacy.example${path.replace("{job_id}", job_id)}`;
  const headers = {
    authorization: `Bearer ${mock.keys.live}`,
    "content-type": "application/json",
  };
  const sent = body === undefined ? null : JSON.stringify(body);
  expect((await mock.fetch(url, { method, headers, body: sent })).status).toBe(200);
});

test.each([
  ["https://a.example/api/v1/tryon/?limit=1", true, "https://a.example/api/v1/tryon?limit=1"],
  ["https://a.example/api/v1/account//", true, "https://a.example/api/v1/account"],
  ["http://a.example/api/v1/tryon", true, "https://a.example/api/v1/tryon"],
  ["http://localhost:1234/api/docs/", true, "http://localhost:1234/api/docs"],
  ["https://a.example/", true, 200],
  ["http://localhost:1234/", true, 200],
  ["http://127.0.0.1/api/docs", true, 200],
  ["https://a.example/api/docs/", false, 404],
  ["http://a.example/api/docs", false, 200],
])("the option slashRedirect of %s is %s: %s", async (url, slashRedirect, expected) => {
  covers("endpoints.urls.other-spellings");
  const response = await manualServer({ options: { slashRedirect } }).mock.fetch(url);
  const location = response.status === 307 && response.headers.get("location");
  expect(location || response.status).toBe(expected);
  expect(response.headers.get("x-mock")).not.toBeNull();
});
