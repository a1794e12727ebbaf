import { describe, expect, it } from "vitest";

import { createProxyService, tryOn } from "../../test/proxy-service.ts";
import {
  createService,
  respondWith,
  respondAfter,
  cut,
  input,
  noResponse,
  type Fault,
} from "../../test/service.ts";

const own = (status: number, headers?: Record<string, string>): Fault =>
  respondWith(status, { detail: "The key svc_live_mock has 3 credits left." }, headers);
const issues = { detail: [{ loc: ["body", "seed"], msg: "no", type: "int" }] };
const redirect = { location: "https://a.example" };
const invalidJob = { job_id: "../account", status: "running" };

describe("an error of the service", () => {
  it.each<[string, Fault, string, RegExp | undefined]>([
    ["400", own(400), "bad_request", undefined],
    ["409", own(409), "idempotency_conflict", undefined],
    ["422", respondWith(422, issues), "validation_failed", undefined],
    ["429", own(429, { "retry-after": "90" }), "rate_limited", undefined],
    ["413 HTML", respondWith(413, "<h1>Too large</h1>"), "payload_too_large", undefined],
    ["401", own(401), "unavailable", /401.*apiKey/],
    ["402", own(402), "unavailable", /402.*credits/],
    ["403", own(403), "unavailable", /403.*dashboard/],
    ["403 HTML", respondWith(403, "<h1>Firewall</h1>"), "unavailable", /403/],
    ["404", own(404), "server_error", /404.*baseUrl/],
    ["405 HTML", respondWith(405, "<h1>No</h1>"), "server_error", /405.*baseUrl/],
    ["408", own(408), "server_error", /408/],
    ["400 HTML", respondWith(400, "<h1>Bad request</h1>"), "server_error", /400/],
    ["429 HTML", respondWith(429, "<h1>Slow down</h1>"), "unavailable", /429/],
    ["500", own(500), "server_error", /500.*later/],
    ["503", own(503), "unavailable", /503/],
    ["524 HTML", respondWith(524, "<h1>Timeout</h1>"), "server_error", /524/],
    ["307", respondWith(307, "", redirect), "server_error", /307.*redirect/],
    ["a reset connection", cut.before, "server_error", /no response/],
    ["a refused connection", cut.refused, "server_error", /ECONNREFUSED/],
    ["200 HTML", respondAfter(200, "<h1>Welcome</h1>"), "server_error", /200/],
    ["200 without a job", respondAfter(200, { id: 7 }), "server_error", /200/],
    ["200 with an invalid id", respondAfter(200, invalidJob), "server_error", /200/],
  ])("%s becomes an error without key and credits", async (_name, fault, code, expected) => {
    const { page, error, faults, reported, responses, mock } = createProxyService();
    faults.push(fault);
    const thrown = await error(page("ada", { retries: 0 }).submit(input));
    expect(thrown).toMatchObject({ code });
    const texts = await Promise.all(responses.map((response) => response.text()));
    const visible = `${String(thrown)} ${texts.join()}`;
    expect(visible).not.toContain(mock.keys.live);
    const messages = reported.map(({ message }) => message).join();
    expect(messages).toMatch(expected ?? /^$/);
    // Users see the detail only if the error is about their own request.
    expect(expected && /credits left|key/i.test(visible)).not.toBe(true);
    expect(JSON.stringify(reported)).not.toContain(mock.keys.live);
  });

  it("becomes 504 if the service does not respond in time, which includes a sync wait of 90 seconds", async () => {
    const { page, error, faults, mock, reported } = createProxyService();
    faults.push(noResponse.before);
    const start = mock.clock.now();
    const thrown = await error(page("ada", { retries: 0, attemptTimeout: "5m" }).submit(input));
    expect(thrown).toMatchObject({ code: "server_error", status: 504 });
    expect(mock.clock.now() - start).toBeGreaterThan(119_000);
    expect(mock.clock.now() - start).toBeLessThan(125_000);
    expect(reported).toMatchObject([{ message: expect.stringContaining("in time") as unknown }]);
  });

  it("names both causes of a 403 to a poll, which can be a job of an earlier API key", async () => {
    const service = createService({ options: { foreignJob: 403, readLag: 0 } });
    const secret = "0123456789abcdef0123456789abcdef";
    const { page, run } = createProxyService({ secret }, {}, service);
    const job = await run(page("ada").submit(input));
    const { token: apiKey } = await service.mock.createKey();
    const { ask, reported } = createProxyService({ secret, apiKey }, {}, service);
    expect((await ask("ada", `/api/v1/tryon/${job.id}`)).status).toBe(503);
    expect(reported.map(({ message }) => message)).toEqual([
      "The service responded with 403: The job belongs to another API key. Check the key on the provider's dashboard. A polled job can also belong to an earlier key.",
    ]);
  });

  it("has Retry-After in seconds, for each format of the service", async () => {
    const { post, faults, mock } = createProxyService();
    const date = new Date(mock.clock.now()).toUTCString();
    const later = new Date(mock.clock.now() + 7_000).toUTCString();
    for (const [headers, seconds] of [
      [{ "retry-after": "3" }, "3"],
      [{ "retry-after": later, date }, "7"],
      [{ "x-ratelimit-reset": "9", "retry-after": "" }, "9"],
    ] as const) {
      faults.push(own(429, headers));
      const response = await post("ada", tryOn);
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, seconds]);
    }
  });

  it("forwards account requests and purchases only if they are enabled", async () => {
    const closed = createProxyService();
    const refused = await closed.error(closed.page("ada").account.get());
    expect(refused).toMatchObject({ code: "not_found" });
    expect(String(refused)).toContain("not enabled");
    const { page, run, error, sent } = createProxyService({
      allow: { account: true, purchase: true },
    });
    const tryon = page("ada");
    expect(await run(tryon.account.get())).toMatchObject({ credits_remaining: 1_000 });
    const request = { pack_slug: "demo", shared_payment_granted_token: "spt_one" } as const;
    const more = { ...request, webhook_url: "https://evil.example" };
    expect(await run(tryon.credits.purchase(more))).toMatchObject({ credits_added: 100 });
    expect(sent.at(-1)?.body).toBe(JSON.stringify(request));
    const declined = { ...request, shared_payment_granted_token: "spt_declined_1" };
    expect(await error(tryon.credits.purchase(declined))).toMatchObject({ code: "payment_failed" });
  });
});
