import { describe, expect, it } from "vitest";

import { createProxyService, jsonHeaders, mount, site, tryOn } from "../../test/proxy-service.ts";
import { respondWith, input } from "../../test/service.ts";
import type { ProxyOptions } from "./index.ts";

const other = "https://other.example";
const friend = "https://friend.example";

const denied = new Response("Sign in.", { status: 401 });

/** Creates a submission without the headers of a browser. */
function submission(url: string, headers: Record<string, string> = {}): Request {
  return new Request(url, {
    method: "POST",
    headers: { ...headers, ...jsonHeaders, cookie: "user=ada" },
    body: JSON.stringify(tryOn),
  });
}

describe("authentication", () => {
  it.each([
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
    // Callers without types can return anything.
    const { post, sent } = createProxyService({ authorize: () => returned as null });
    expect((await post("ada", tryOn)).status).toBe(401);
    expect(sent).toEqual([]);
  });

  it("sends a Response that authorize returns", async () => {
    const { post } = createProxyService({
      authorize: () => Response.redirect(`${site}/login`, 302),
    });
    const response = await post("ada", tryOn);
    expect([response.status, response.headers.get("location")]).toEqual([302, `${site}/login`]);
  });

  it.each<[string, ProxyOptions["authorize"], string]>([
    ["throws", () => Promise.reject(new Error("10.0.0.7 is down")), "10.0.0.7 is down"],
    ["returns a used Response", () => denied, "for each request"],
    ["returns a network error", () => Response.error(), "for each request"],
  ])("responds with 500 if authorize %s, and passes the cause only to onError", async (...row) => {
    const [, authorize, cause] = row;
    const { post, reported, sent } = createProxyService({ authorize });
    await (await post("ada", tryOn)).text();
    const response = await post("ada", tryOn);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain(cause);
    expect(reported.at(-1)).toMatchObject({ kind: "submit" });
    expect(String(reported.at(-1)?.cause)).toContain(cause);
    expect(sent).toEqual([]);
  });
});

describe("pages of other sites", () => {
  it.each<[Record<string, string>]>([
    [{ "sec-fetch-site": "cross-site", origin: other }],
    [{ "sec-fetch-site": "same-site", origin: "https://blog.shop.example" }],
    [{ "sec-fetch-site": "cross-site", origin: "null" }],
    [{ "sec-fetch-site": "cross-site", origin: site }],
    [{ origin: other }],
    [{ origin: "null" }],
    [{ origin: "https://shop.example.evil.example" }],
    [{ origin: other, "x-forwarded-host": "other.example", host: "other.example" }],
  ])("get 403 unless their origin is allowed, with %j", async (headers) => {
    const { proxy, sent } = createProxyService({ origins: [friend] });
    const response = await proxy(submission(`${mount}/api/v1/tryon`, headers));
    expect(response.status).toBe(403);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(sent).toEqual([]);
  });

  it("get 403 with the Host and the fix if a gateway has replaced it", async () => {
    const { proxy, sent } = createProxyService();
    // The secrets of a request are in its headers and its query.
    const url = "http://app.internal:3000/api/tryon/api/v1/tryon?token=private";
    const response = await proxy(submission(url, { origin: site, authorization: "private" }));
    expect(response.status).toBe(403);
    const { detail } = await response.json();
    expect(detail).toBe(
      "This origin may not use the proxy. See the proxy's option origins. The request reached it with the Host app.internal:3000. If a gateway replaced that header, let it pass on the Host of the page: proxy_set_header Host $http_host in nginx, ProxyPreserveHost On in Apache.",
    );
    expect(sent).toEqual([]);
  });

  it("get a preflight response if their origin is allowed", async () => {
    const { proxy } = createProxyService({ origins: [friend] });
    const preflight = (origin: string) =>
      proxy(new Request(`${mount}/api/v1/tryon`, { method: "OPTIONS", headers: { origin } }));
    const allowed = await preflight(friend);
    expect(allowed.status).toBe(204);
    expect(Object.fromEntries(allowed.headers)).toMatchObject({
      "access-control-allow-origin": friend,
      "access-control-allow-credentials": "true",
      "access-control-allow-headers": "content-type, idempotency-key, if-match, authorization",
      vary: "Origin",
    });
    for (const origin of [other, site]) {
      const { status, headers } = await preflight(origin);
      expect([status, headers.get("access-control-allow-origin")]).toEqual([403, null]);
    }
  });

  it("can read each response if their origin is allowed", async () => {
    // This browser reports the proxy's own site.
    const response = await createProxyService({ origins: [friend] }).ask("ada", "/api/v1/tryon", {
      method: "POST",
      headers: { origin: friend },
    });
    expect(response.status).toBe(400);
    const { proxy } = createProxyService({ origins: [friend], authorize: () => null });
    const headers = { origin: friend, "sec-fetch-site": "cross-site" };
    const refused = await proxy(new Request(`${mount}/api/v1/tryon/job_1`, { headers }));
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe(friend);
  });
});

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
    [site, undefined, 404],
    [`${site}/api`, undefined, 404],
    [`${site}/api/tryon/more`, undefined, 404],
    [`${site}/other/api/tryon`, undefined, 404],
    [`${site}/api/tryonx`, undefined, 404],
    [`${site}/API/TRYON`, undefined, 404],
    [`${site}//evil.example`, undefined, 404],
    [`${site}/https://evil.example`, undefined, 404],
    [`${site}/api/v1/account`, undefined, 404],
    [`${site}/..%2f..%2fevil.example`, undefined, 404],
    [mount, "/", 404],
    [mount, "/shop/tryon", 404],
    [site, "/", 200],
    [`${site}/shop/tryon`, "/shop/tryon", 200],
    [`${site}/shop/tryon`, "/shop/tryon/", 200],
  ])("below %s, with the basePath %s, respond with %i", async (prefix, basePath, status) => {
    const { proxy, sent } = createProxyService({ basePath });
    const response = await proxy(submission(`${prefix}/api/v1/tryon`));
    expect(response.status).toBe(status);
    expect(sent).toHaveLength(status === 200 ? 1 : 0);
    const served = basePath === "/" ? "" : (basePath ?? "/api/tryon");
    expect((await response.text()).includes(`${served}/api/v1`)).toBe(status === 404);
  });
});

describe("forwarding", () => {
  it("sends only its own URL, key and headers to the service, and none of its headers to users", async () => {
    const { ask, post, sent, mock, run, page, responses } = createProxyService();
    const secrets = {
      authorization: "Bearer svc_live_of_the_user",
      "proxy-authorization": "Basic abc",
      cookie: "user=ada; session=s3cret",
      "x-api-key": "s3cret",
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-host": "evil.example",
      forwarded: "host=evil.example",
      host: "evil.example/api/v1/account?",
      "x-target-url": "https://evil.example/steal",
      referer: "https://shop.example/private?token=s3cret",
      "user-agent": "user",
    };
    const job = await run(page("ada").submit(input));
    await run(job.result());
    const { body } = submission(mount);
    const init = { method: "POST", headers: { ...jsonHeaders, ...secrets }, body };
    await run(ask("ada", "/api/v1/tryon?url=https://evil.example", init));
    await post("ada", tryOn, { ...secrets, "idempotency-key": "own" });
    await ask("ada", `/api/v1/tryon/${job.id}`, { headers: secrets });
    expect(sent.length).toBeGreaterThan(4);
    for (const { headers, method, url } of sent) {
      const path = method === "POST" ? "" : `/${job.id.slice(0, -32)}`;
      expect(url).toBe(`${mock.baseUrl}/api/v1/tryon${path}`);
      expect(headers.get("authorization")).toBe(`Bearer ${mock.keys.live}`);
      const names = [...headers.keys()].toSorted();
      const own = ["accept", "authorization", "content-type", "idempotency-key"];
      const ofTransport = ["accept-encoding", "content-length", "user-agent"];
      expect([...own, ...ofTransport]).toEqual(expect.arrayContaining(names));
    }
    expect(JSON.stringify(sent.map(({ headers }) => [...headers]))).not.toMatch(/s3cret|"own"/);
    for (const response of responses) {
      expect([...response.headers.keys()].join()).not.toMatch(/ratelimit|mock/);
      expect(response.headers.get("cache-control")).toBe("no-store");
      const text = await response.text();
      expect(text).not.toMatch(/credits/);
      expect(text).not.toContain(mock.keys.live);
    }
  });

  it("redacts the key and secrets in URLs from texts of the service", async () => {
    const { run, post, mock, faults } = createProxyService();
    const words = `${mock.keys.live} was refused by https://shop.example/hook?token=s3cret`;
    const failed = { error_code: words, error_message: words, message: words };
    faults.push(respondWith(200, { job_id: "job_1", status: "failed", ...failed }));
    const text = await (await run(post("ada", tryOn))).text();
    expect(text).toContain("was refused by https://shop.example/hook");
    expect(text).not.toContain("s3cret");
    expect(text).not.toContain(mock.keys.live);
  });
});
