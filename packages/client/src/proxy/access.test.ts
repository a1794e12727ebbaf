import { describe, expect, it } from "vitest";

import { createProxyService, mount, site } from "../../test/proxy-service.ts";
import { respondWith, input, personUrl, profiles, shirtUrl } from "../../test/service.ts";
import { createProxy, type ProxyOptions } from "./index.ts";

const tryOn = { person_url: personUrl, garment_urls: [shirtUrl], wait: false };

/** Reads the status and the detail of a response. */
async function read(response: Response) {
  const { detail } = (await response.json()) as { detail?: unknown };
  return { status: response.status, detail: JSON.stringify(detail) };
}

describe("authentication", () => {
  it("requires authorize", () => {
    const options = { apiKey: "svc_test_a", baseUrl: "https://tryon.example" };
    // Callers without types can omit it.
    expect(() => createProxy(options as unknown as ProxyOptions)).toThrow(/authorize/);
    expect(() => createProxy(undefined as unknown as ProxyOptions)).toThrow(/authorize/);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["undefined", undefined],
    ["false", false],
    ["true", true],
    ["a string", "ada"],
    ["an empty id", { id: "" }],
    ["a blank id", { id: " " }],
    ["a number as id", { id: 7 }],
    ["no id", { user: "ada" }],
  ])("responds with 401 if authorize returns %s", async (_name, returned) => {
    const { post, sent } = createProxyService({ authorize: () => returned as null });
    expect((await post("ada", tryOn)).status).toBe(401);
    expect(sent).toEqual([]);
  });

  it("responds with 500 if authorize throws, and passes the cause only to onError", async () => {
    const cause = new Error("session store at 10.0.0.7 is down");
    const { post, sent, reported } = createProxyService({
      authorize: () => {
        throw cause;
      },
    });
    const { status, detail } = await read(await post("ada", tryOn));
    expect(status).toBe(500);
    expect(detail).not.toContain("10.0.0.7");
    expect(reported).toMatchObject([{ cause, kind: "submit" }]);
    expect(sent).toEqual([]);
  });

  it("sends a Response that authorize returns", async () => {
    const { post } = createProxyService({
      authorize: () => Response.redirect("https://shop.example/login", 302),
    });
    const response = await post("ada", tryOn);
    expect([response.status, response.headers.get("location")]).toEqual([
      302,
      "https://shop.example/login",
    ]);
  });

  it.each<[string, () => () => Response]>([
    [
      "used before",
      () => {
        const denied = new Response("Sign in.", { status: 401 });
        return () => denied;
      },
    ],
    ["a network error", () => () => Response.error()],
  ])("responds with 500 if authorize returns a Response that is %s", async (_, make) => {
    const { post, reported, sent } = createProxyService({ authorize: make() });
    await (await post("ada", tryOn)).text();
    expect(await read(await post("ada", tryOn))).toMatchObject({ status: 500 });
    expect(reported.at(-1)?.message).toContain("for each request");
    expect(sent).toEqual([]);
  });
});

describe("pages of other sites", () => {
  it("get 403 unless their origin is allowed", async () => {
    const other = "https://other.example";
    const requests = [
      { "sec-fetch-site": "cross-site", origin: other },
      { "sec-fetch-site": "same-site", origin: "https://blog.shop.example" },
      { "sec-fetch-site": "cross-site", origin: "null" },
      { "sec-fetch-site": "cross-site", origin: site },
      { origin: other },
      { origin: "null" },
      { origin: "https://shop.example.evil.example" },
      { origin: other, "x-forwarded-host": "other.example", host: "other.example" },
    ];
    for (const headers of requests) {
      const { proxy, sent } = createProxyService({ origins: ["https://friend.example"] });
      const response = await proxy(
        new Request(`${mount}/api/v1/tryon`, {
          method: "POST",
          headers: { ...headers, cookie: "user=ada", "content-type": "application/json" },
          body: JSON.stringify(tryOn),
        }),
      );
      expect([headers, response.status]).toEqual([headers, 403]);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      expect(sent).toEqual([]);
    }
  });

  it("get a preflight response if their origin is allowed", async () => {
    const friend = "https://friend.example";
    const { proxy } = createProxyService({ origins: [friend] });
    const preflight = (origin: string) =>
      proxy(new Request(`${mount}/api/v1/tryon`, { method: "OPTIONS", headers: { origin } }));
    const allowed = await preflight(friend);
    expect(allowed.status).toBe(204);
    expect(Object.fromEntries(allowed.headers)).toMatchObject({
      "access-control-allow-origin": friend,
      "access-control-allow-credentials": "true",
      "access-control-allow-headers": "content-type, idempotency-key, authorization",
      vary: "Origin",
    });
    for (const origin of ["https://other.example", site]) {
      const response = await preflight(origin);
      expect(response.status).toBe(403);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it("can read each response if their origin is allowed", async () => {
    const origin = "https://friend.example";
    const { ask } = createProxyService({ origins: [origin] });
    const response = await ask("ada", "/api/v1/tryon", { method: "POST", headers: { origin } });
    // This browser reports the proxy's own site.
    expect(response.status).toBe(400);
    const { proxy } = createProxyService({ origins: [origin], authorize: () => null });
    const refused = await proxy(
      new Request(`${mount}/api/v1/tryon/job_1`, {
        headers: { origin, "sec-fetch-site": "cross-site" },
      }),
    );
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe(origin);
  });
});

function submission(url: string, headers: Record<string, string> = {}): Request {
  const type = { "content-type": "application/json", "idempotency-key": "a" };
  return new Request(url, {
    method: "POST",
    headers: { ...headers, ...type, cookie: "user=ada" },
    body: JSON.stringify(tryOn),
  });
}

describe("routes", () => {
  it.each([
    ["GET", "/api/v1/tryon", 404],
    ["GET", "/api/v1/account", 404],
    ["POST", "/api/v1/credits/purchase", 404],
    ["GET", "/", 404],
    ["GET", "", 404],
    ["GET", "/api/v1/openapi.json", 404],
    ["POST", "/api/webhooks/payments", 404],
    ["POST", "/__mock/reset", 404],
    ["GET", "/api/v1/tryon/", 404],
    ["DELETE", "/api/v1/tryon", 405],
    ["PUT", "/api/v1/tryon", 405],
    ["POST", "/api/v1/tryon/job_1", 405],
    ["HEAD", "/api/v1/tryon/job_1", 405],
    ["POST", "/api/v1/account", 405],
    ["GET", "/api/v1/tryon/job_1/../../account", 404],
    ["GET", "/api/v1/tryon/..%2Faccount", 404],
    ["GET", "/api/v1/tryon/%2e%2e/account", 404],
    ["GET", "/api/v1/tryon/job_1%2F..%2F..%2Faccount", 404],
    ["GET", "/api/v1/tryon/job_1%00", 404],
    ["GET", "/api/v1/tryon/https:%2F%2Fevil.example", 404],
    ["GET", "/api/v1/tryon/@evil.example", 404],
    ["GET", "/api/v1/tryon/constructor", 404],
  ])("reject %s %s with %i", async (method, path, status) => {
    const { ask, sent } = createProxyService();
    const response = await ask("ada", path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.has("allow")).toBe(status === 405);
    expect(sent).toEqual([]);
  });

  it.each([
    ["https://shop.example", undefined],
    ["https://shop.example/api", undefined],
    ["https://shop.example/api/tryon/more", undefined],
    ["https://shop.example/other/api/tryon", undefined],
    ["https://shop.example/api/tryonx", undefined],
    ["https://shop.example/API/TRYON", undefined],
    ["https://shop.example//evil.example", undefined],
    ["https://shop.example/https://evil.example", undefined],
    ["https://shop.example/api/v1/account", undefined],
    ["https://shop.example/..%2f..%2fevil.example", undefined],
    ["https://shop.example/api/tryon", "/"],
    ["https://shop.example/api/tryon", "/shop/tryon"],
  ])("do not exist at %s if basePath is %s", async (prefix, basePath) => {
    const { proxy, sent } = createProxyService({ basePath });
    const response = await proxy(submission(`${prefix}/api/v1/tryon`));
    expect(response.status).toBe(404);
    expect(await response.text()).toContain(
      `${basePath === "/" ? "" : (basePath ?? "/api/tryon")}/api/v1`,
    );
    expect(sent).toEqual([]);
  });

  it.each([
    ["/", ""],
    ["/shop/tryon", "/shop/tryon"],
    ["/shop/tryon/", "/shop/tryon"],
  ])("exist below basePath %s", async (basePath, path) => {
    const { proxy, sent } = createProxyService({ basePath });
    const response = await proxy(submission(`${site}${path}/api/v1/tryon`));
    expect(response.status).toBe(200);
    expect(sent).toHaveLength(1);
  });

  it.each<[string, Record<string, string>]>([
    [mount, { "x-fal-target-url": "https://evil.example/steal", "x-target-url": "https://evil" }],
    [mount, { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" }],
    [mount, { host: "evil.example/api/v1/account?" }],
  ])("lead only to the service, for %s and %j", async (prefix, headers) => {
    const { proxy, sent, mock } = createProxyService();
    await proxy(submission(`${prefix}/api/v1/tryon?url=https://evil.example`, headers));
    expect(sent.map(({ url }) => url)).toEqual([`${mock.baseUrl}/api/v1/tryon`]);
  });
});

describe.each(profiles)("forwarding, under the profile %s", (profile) => {
  it("sends the key of the proxy, and no header of the user", async () => {
    const { ask, sent, mock, run, page } = createProxyService({}, { profile });
    const secrets = {
      authorization: "Bearer svc_live_of_the_user",
      "proxy-authorization": "Basic abc",
      cookie: "user=ada; session=s3cret",
      "x-api-key": "s3cret",
      "x-forwarded-for": "203.0.113.9",
      referer: "https://shop.example/private?token=s3cret",
      "user-agent": "user",
    };
    const { id } = await run(page("ada").submit(input));
    await ask("ada", "/api/v1/tryon", {
      method: "POST",
      headers: { ...secrets, "content-type": "application/json", "idempotency-key": "own" },
      body: JSON.stringify(tryOn),
    });
    await ask("ada", `/api/v1/tryon/${id}`, { headers: secrets });
    expect(sent).toHaveLength(3);
    for (const { headers } of sent) {
      expect(headers.get("authorization")).toBe(`Bearer ${mock.keys.live}`);
      const names = [...headers.keys()].toSorted();
      expect(["accept", "authorization", "content-type", "idempotency-key"]).toEqual(
        expect.arrayContaining(names),
      );
    }
    expect(JSON.stringify(sent.map(({ headers }) => [...headers]))).not.toMatch(/s3cret|"own"/);
  });

  it("removes key, credits and rate limit from responses", async () => {
    const { run, page, responses, mock } = createProxyService({}, { profile });
    const tryon = page("ada");
    const job = await run(tryon.submit(input));
    await run(job.result());
    for (const response of responses) {
      expect([...response.headers.keys()].filter((name) => /ratelimit|mock/.test(name))).toEqual(
        [],
      );
      expect(response.headers.get("cache-control")).toBe("no-store");
      const text = await response.text();
      expect(text).not.toMatch(/credits/);
      expect(text).not.toContain(mock.keys.live);
    }
  });

  it("redacts the key and secrets in URLs from texts of the service", async () => {
    const { run, post, mock, faults } = createProxyService({}, { profile });
    const words = `${mock.keys.live} was refused by https://shop.example/hook?token=s3cret`;
    const failed = { error_code: words, error_message: words, message: words };
    faults.push(respondWith(200, { job_id: "job_1", status: "failed", ...failed }));
    const text = await (await run(post("ada", tryOn))).text();
    expect(text).toContain("was refused by https://shop.example/hook");
    expect(text).not.toContain("s3cret");
    expect(text).not.toContain(mock.keys.live);
  });

  it("includes the cost if exposeCredits is true", async () => {
    const { run, page } = createProxyService({ exposeCredits: true }, { profile });
    const { receipt } = await run(page("ada").run(input));
    expect(receipt.credits).toBe(8);
  });
});
