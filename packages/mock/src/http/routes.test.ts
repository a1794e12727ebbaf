import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller, tryOn } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

const pagesOfThisMachine = [
  "http://localhost",
  "http://localhost:5173",
  "https://localhost:8443",
  "http://127.0.0.1:4010",
  "http://[::1]:3000",
];

describe("an address that is none", () => {
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
  ])("is 404 without a look at the key: %s", async (path) => {
    covers("version.in-path");
    const call = caller(createMock({ clock: "manual" }), null);
    const answer = await call.get(path);
    expect([answer.status, answer.body]).toEqual([404, { detail: "Not Found" }]);
  });
});

describe("a method that an address does not have", () => {
  test.each([
    ["PUT", "/api/v1/tryon", "GET, HEAD, POST"],
    ["DELETE", "/api/v1/tryon/job_1", "GET, HEAD"],
    ["POST", "/api/v1/tryon/job_1", "GET, HEAD"],
    ["POST", "/api/v1/account", "GET, HEAD"],
    ["GET", "/api/v1/credits/purchase", "POST"],
    ["GET", "/api/webhooks/payments", "POST"],
    ["POST", "/", "GET, HEAD"],
    ["PATCH", "/api/v1/openapi.json", "GET, HEAD"],
    ["DELETE", "/results/job_1.png", "GET, HEAD"],
  ])("is 405 and names those it has: %s %s", async (method, path, allow) => {
    const call = caller(createMock({ clock: "manual" }), null);
    const answer = await call.call(path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe(allow);
    expect(answer.detail).toBe("Method Not Allowed");
  });
});

describe("every answer", () => {
  test.each(["/", "/nowhere", "/api/docs", "/api/v1/account", "/results/job_1.png"])(
    "of %s carries X-Mock and the server's own date",
    async (path) => {
      const mock = createMock({ clock: "manual" });
      await mock.clock.advance("90m");
      const answer = await caller(mock, null).get(path);
      expect(answer.headers.get("x-mock")).toMatch(/^tryon-mock\/\d+\.\d+\.\d+/);
      expect(answer.headers.get("date")).toBe("Thu, 01 Jan 2026 01:30:00 GMT");
    },
  );

  test("to HEAD is that to GET without a body", async () => {
    const mock = createMock({ clock: "manual" });
    const answer = await caller(mock).call<string>("/api/v1/account", { method: "HEAD" });
    expect([answer.status, answer.body]).toEqual([200, ""]);
  });

  test.each(pagesOfThisMachine)("can be read by pages of %s", async (origin) => {
    const call = caller(createMock({ clock: "manual" }));
    const answer = await call.get("/api/v1/account", { origin });
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("vary")).toBe("Origin");
    const exposed = answer.headers.get("access-control-expose-headers")?.toLowerCase().split(",");
    expect(exposed).toEqual(
      expect.arrayContaining([
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
        "retry-after",
        "idempotent-replayed",
        "date",
      ]),
    );
  });

  test("of an error can be read by them too", async () => {
    const call = caller(createMock({ clock: "manual" }), null);
    const answer = await call.get("/api/v1/account", { origin: "http://localhost:5173" });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
  });

  test("name every origin where no page asks", async () => {
    const answer = await caller(createMock({ clock: "manual" })).account();
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("vary")).toBe("Origin");
  });
});

describe("a preflight", () => {
  test.each([
    "/api/v1/tryon",
    "/api/v1/tryon/job_1",
    "/api/v1/account",
    "/api/v1/credits/purchase",
  ])("of %s is answered without a key", async (path) => {
    const call = caller(createMock({ clock: "manual" }), null);
    const answer = await call.call(path, {
      method: "OPTIONS",
      headers: {
        origin: "http://localhost:5173",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,idempotency-key",
      },
    });
    expect(answer.status).toBe(204);
    const allowed = answer.headers.get("access-control-allow-headers")?.toLowerCase().split(",");
    expect(allowed).toEqual(["authorization", "content-type", "idempotency-key"]);
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    expect(answer.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
  });
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
    const mock = createMock({ clock: "manual" });
    const call = caller(mock);
    for (const answer of [
      await call.submit({ webhook_url: "http://127.0.0.1:9/hook" }, { origin }),
      await call.get("/api/v1/account", { origin }),
      await call.call("/api/v1/tryon", { method: "OPTIONS", headers: { origin, ...preflight } }),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.detail).toContain("--cors-origin");
      const names = [...answer.headers.keys()];
      expect(names.filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
    expect((await call.list()).body.jobs).toEqual([]);
  });

  test.each([[["https://shop.example", "capacitor://localhost"]], [["*"]]])(
    "may call where corsOrigins is %j",
    async (corsOrigins) => {
      const call = caller(createMock({ clock: "manual", corsOrigins }));
      for (const origin of ["https://shop.example", "capacitor://localhost"]) {
        const asked = { method: "OPTIONS", headers: { origin, ...preflight } };
        for (const answer of [
          await call.submit({}, { origin }),
          await call.call("/api/v1/tryon", asked),
        ]) {
          expect(answer.status).toBeLessThan(300);
          expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
        }
      }
    },
  );

  test.each(["", "shop.example", "https://shop.example/", "https://Shop.example", "null"])(
    "cannot be allowed as %j",
    (origin) => {
      const corsOrigins = [origin];
      expect(() => createMock({ corsOrigins })).toThrow(RangeError);
      expect(() => createMock({ corsOrigins })).toThrow(
        `corsOrigins: ${JSON.stringify(origin)} is`,
      );
    },
  );
});

describe("the addresses that tell what the service is", () => {
  test.each(["/", "/api/discovery"])("%s says how an agent buys credits", async (path) => {
    covers(
      "discovery.document.two-addresses",
      "discovery.capabilities.agentic-commerce",
      "discovery.document.shape",
      "discovery.key.needed",
    );
    const mock = createMock({ clock: "manual" });
    const { body } = await caller(mock, null).get(path);
    expect(body).toMatchObject({
      capabilities: {
        agentic_commerce: {
          purchase_endpoint: `${mock.baseUrl}/api/v1/credits/purchase`,
          packs: expect.arrayContaining([{ pack_slug: "demo", price_usd: 2, credits: 100 }]),
        },
      },
    });
  });

  test("/api/discovery has every pack with its price and its credits", async () => {
    covers(
      "packs.demo.price-and-credits",
      "packs.starter.price-and-credits",
      "packs.pro.price-and-credits",
      "packs.scale.price-and-credits",
      "packs.enterprise.price-and-credits",
      "discovery.document.shape",
    );
    const { body } = await caller(createMock({ clock: "manual" }), null).get("/api/discovery");
    const packs = [
      { pack_slug: "demo", price_usd: 2, credits: 100 },
      { pack_slug: "starter", price_usd: 25, credits: 1_200 },
      { pack_slug: "pro", price_usd: 99, credits: 5_600 },
      { pack_slug: "scale", price_usd: 499, credits: 32_000 },
      { pack_slug: "enterprise", price_usd: 999, credits: 72_000 },
    ];
    expect(body).toMatchObject({ capabilities: { agentic_commerce: { currency: "usd", packs } } });
  });

  test("/api/docs is a page that loads nothing from anywhere", async () => {
    covers("discovery.docs.html-page", "discovery.key.needed");
    const answer = await caller(createMock({ clock: "manual" }), null).get<string>("/api/docs");
    expect(answer.headers.get("content-type")).toContain("text/html");
    expect(answer.body).toContain("/api/v1/credits/purchase");
    expect(answer.body).not.toMatch(/src=|@import|url\(|<link|<script/);
  });

  test("/api/v1/openapi.json is the contract at this server's address", async () => {
    covers(
      "discovery.description.openapi-json",
      "discovery.key.needed",
      "version.description.openapi",
    );
    const mock = createMock({ clock: "manual" });
    const response = await mock.fetch("https://legacy.example/api/v1/openapi.json");
    expect(await response.json()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { version: "1.0.0" },
      servers: [{ url: "https://legacy.example" }],
    });
  });

  test.each([
    ["POST", "/api/v1/tryon", JSON.stringify(tryOn())],
    [
      "POST",
      "/api/v1/credits/purchase",
      '{"pack_slug":"demo","shared_payment_granted_token":"spt_1"}',
    ],
    ["GET", "/api/v1/tryon", null],
    ["GET", "/api/v1/tryon/{job_id}", null],
    ["GET", "/api/v1/account", null],
    ["GET", "/api/discovery", null],
  ])("%s %s answers under any address", async (method, path, body) => {
    covers(
      "service.legacy-address.same-endpoints",
      "service.base-address.given",
      "endpoints.addresses.other-spellings",
    );
    const mock = createMock({ clock: "manual" });
    const { job_id } = (await caller(mock).submit()).body;
    const address = `https://legacy.example${path.replace("{job_id}", job_id)}`;
    const response = await mock.fetch(address, {
      method,
      headers: {
        authorization: `Bearer ${mock.keys.live}`,
        "content-type": "application/json",
      },
      body,
    });
    expect(response.status).toBe(200);
  });
});

describe("a slash too many, and http", () => {
  const redirecting = { clock: "manual", options: { slashRedirect: true } } as const;

  test.each([
    ["https://a.example/api/v1/tryon/?limit=1", "https://a.example/api/v1/tryon?limit=1"],
    ["https://a.example/api/v1/account//", "https://a.example/api/v1/account"],
    ["http://a.example/api/v1/tryon", "https://a.example/api/v1/tryon"],
    ["http://localhost:1234/api/v1/tryon/", "http://localhost:1234/api/v1/tryon"],
  ])("are sent on with 307 where the server says so: %s", async (from, to) => {
    covers("endpoints.addresses.other-spellings");
    const mock = createMock(redirecting);
    const response = await mock.fetch(from, { method: "POST", body: "{}" });
    expect(response.status).toBe(307);
    expect(response.headers.get("location")).toBe(to);
    expect(response.headers.get("x-mock")).not.toBeNull();
  });

  test.each(["https://a.example/", "http://localhost:1234/", "http://127.0.0.1/api/docs"])(
    "are not seen in %s",
    async (address) => {
      covers("endpoints.addresses.other-spellings");
      expect((await createMock(redirecting).fetch(address)).status).toBe(200);
    },
  );

  test("are 404 and nothing by default", async () => {
    covers("endpoints.addresses.other-spellings");
    const mock = createMock({ clock: "manual" });
    expect((await mock.fetch("https://a.example/api/docs/")).status).toBe(404);
    expect((await mock.fetch("http://a.example/api/docs")).status).toBe(200);
  });
});
