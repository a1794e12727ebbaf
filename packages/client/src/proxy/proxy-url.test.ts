import { afterEach, describe, expect, it, vi } from "vitest";

import { Budget, isTryOnError, TryOn, type TryOnOptions } from "../index.ts";
import { createProxyService, mount } from "../../test/proxy-service.ts";
import { input } from "../../test/service.ts";
import { createRawClient } from "../raw/index.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** Returns the request of `jobs.get` with these options, or the error. */
async function sentBy(options: TryOnOptions) {
  const sent = { url: "", headers: new Headers(), error: "" };
  const fetch = async (url: string, { headers }: RequestInit) => {
    Object.assign(sent, { url, headers: new Headers(headers) });
    return Response.json({ job_id: "job_1", status: "running" });
  };
  const read = async () => new TryOn({ fetch, ...options }).jobs.get("job_1");
  await read().catch((error: unknown) => {
    sent.error = isTryOnError(error) ? `${error.code} ${error.message}` : String(error);
  });
  return sent;
}

describe("a client with proxyUrl", () => {
  it.each([
    ["/api/tryon", "https://shop.example/api/tryon"],
    ["/api/tryon/", "https://shop.example/api/tryon"],
    ["/", "https://shop.example"],
    ["api", "https://shop.example/shirts/api"],
    ["//api.shop.example/tryon", "https://api.shop.example/tryon"],
    ["https://api.shop.example", "https://api.shop.example"],
    [new URL("http://localhost:3000/api"), "http://localhost:3000/api"],
  ])("sends requests to %s, with no key but that of a middleware", async (proxyUrl, base) => {
    vi.stubGlobal("location", new URL("https://shop.example/shirts/7?size=m#top"));
    vi.stubEnv("TRYON_API_KEY", "svc_live_of_the_server");
    vi.stubEnv("TRYON_BASE_URL", "https://tryon.example");
    const { url, headers } = await sentBy({ proxyUrl });
    expect(url).toBe(`${base}/api/v1/tryon/job_1`);
    expect([...headers]).toEqual([["accept", "application/json"]]);
    // A middleware can send the credentials of its app.
    const through = await sentBy({
      proxyUrl,
      middleware: (request, next) => {
        expect(request.headers.has("authorization")).toBe(false);
        request.headers.set("authorization", "Bearer session");
        return next(request);
      },
    });
    expect(through.url).toBe(url);
    expect(through.headers.get("authorization")).toBe("Bearer session");
  });

  it("uses http only for its own site", async () => {
    vi.stubGlobal("location", new URL("http://shop.example/"));
    vi.stubGlobal("document", {});
    const own = await sentBy({ proxyUrl: "/api" });
    expect(own.url).toBe("http://shop.example/api/api/v1/tryon/job_1");
    const proxyUrl = "http://api.example";
    const { error } = await sentBy({ proxyUrl });
    expect(error).toMatch(/^unsafe_environment .*api\.example.*allowInsecure/);
    expect((await sentBy({ proxyUrl, allowInsecure: true })).url).toContain(proxyUrl);
  });

  it.each<[TryOnOptions, RegExp]>([
    [{ proxyUrl: mount, apiKey: "svc_test_a" }, /^invalid_config proxyUrl.*apiKey/],
    [{ proxyUrl: mount, baseUrl: "https://tryon.example" }, /^invalid_config proxyUrl.*baseUrl/],
    [{ proxyUrl: "/api/tryon" }, /^invalid_config proxyUrl/],
    [{ proxyUrl: "https://a:b@shop.example" }, /^invalid_config proxyUrl/],
    [{ proxyUrl: "https://shop.example/?a=b" }, /^invalid_config proxyUrl/],
    [{ proxyUrl: "file:///etc" }, /^invalid_config proxyUrl/],
  ])("throws for %j", async (options, words) => {
    expect((await sentBy(options)).error).toMatch(words);
  });

  it("does not spend its budget if the proxy has a test key", async () => {
    // Only the response to a submission has test_mode.
    const mockOptions = { options: { sparseSubmit: false } };
    const { page, run, mock } = createProxyService({ apiKey: "svc_test_mock" }, mockOptions);
    const budget = new Budget({ maxCredits: 8 });
    const tryon = page("ada", { budget });
    const job = await run(tryon.submit(input));
    expect(budget).toMatchObject({ spent: 0, reserved: 0 });
    await mock.clock.advance("2s");
    await run(job.result());
    await run(tryon.run(input));
    expect(budget.left).toBe(8);
  });

  it("is suggested if a page has a live key or no options", async () => {
    vi.stubGlobal("document", {});
    vi.stubEnv("TRYON_API_KEY", undefined);
    const live = { apiKey: "svc_live_a", baseUrl: "https://tryon.example", fetch: undefined };
    expect((await sentBy(live)).error).toMatch(/a browser.*proxyUrl/);
    expect((await sentBy({ proxyUrl: undefined })).error).toMatch(/apiKey is missing.*proxyUrl/);
  });

  it("can be created on a server, without a page", () => {
    const tryon = new TryOn({ proxyUrl: "/api/tryon" });
    expect(tryon.toJSON()).toEqual({ name: "TryOn", baseUrl: undefined });
  });

  it("supports raw calls", async () => {
    const { page, run, mock } = createProxyService();
    const tryon = page("ada");
    const { id } = await run(tryon.submit(input));
    // Reads may lag behind.
    await mock.clock.advance("2s");
    const params = { path: { job_id: id } };
    const { data } = await run(createRawClient(tryon).GET("/api/v1/tryon/{job_id}", { params }));
    expect(data?.job_id).toBe(id);
  });
});
