import { afterEach, describe, expect, it, vi } from "vitest";

import {
  Budget,
  isTryOnError,
  PageClient,
  TryOn,
  type PageClientOptions,
  type TryOnOptions,
} from "../index.ts";
import { createProxyService, mount } from "../../test/proxy-service.ts";
import { input } from "../../test/service.ts";
import { createRawClient } from "../raw/index.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** Options of both clients of a proxy. */
type Options = Partial<PageClientOptions>;

/** Clients of a proxy at a URL, by the name of its option. */
const clients = {
  proxyUrl: (url: string | URL, options: Options) => new TryOn({ proxyUrl: url, ...options }),
  baseUrl: (url: string | URL, options: Options) => new PageClient({ baseUrl: url, ...options }),
} as const;

/** Returns the request of a client, or the error. */
async function sentBy(create: (options: Options) => Pick<TryOn, "apiKeyFingerprint">) {
  const sent = { url: "", headers: new Headers(), error: "" };
  const fetch = async (url: string, { headers }: RequestInit) => {
    Object.assign(sent, { url, headers: new Headers(headers) });
    return Response.json({ fingerprint: "0123456789abcdef" });
  };
  const read = async () => create({ fetch }).apiKeyFingerprint();
  await read().catch((error: unknown) => {
    sent.error = isTryOnError(error) ? `${error.code} ${error.message}` : String(error);
  });
  return sent;
}

describe.each(Object.entries(clients))("a client with %s", (name, create) => {
  const sentTo = (url: string | URL, own: Options = {}) =>
    sentBy((options) => create(url, { ...options, ...own }));

  it.each([
    ["/api/tryon", "https://shop.example/api/tryon"],
    ["/api/tryon/", "https://shop.example/api/tryon"],
    ["/", "https://shop.example"],
    ["api", "https://shop.example/shirts/api"],
    ["//api.shop.example/tryon", "https://api.shop.example/tryon"],
    ["https://api.shop.example", "https://api.shop.example"],
    [new URL("http://localhost:3000/api"), "http://localhost:3000/api"],
  ])("sends requests to %s, without a key", async (given, base) => {
    vi.stubGlobal("location", new URL("https://shop.example/shirts/7?size=m#top"));
    vi.stubEnv("TRYON_API_KEY", "svc_live_of_the_server");
    vi.stubEnv("TRYON_BASE_URL", "https://tryon.example");
    const { url, headers } = await sentTo(given);
    expect(url).toBe(`${base}/api/v1/key`);
    expect([...headers]).toEqual([["accept", "application/json"]]);
  });

  it("uses http only for its own site", async () => {
    vi.stubGlobal("location", new URL("http://shop.example/"));
    vi.stubGlobal("document", {});
    expect((await sentTo("/api")).url).toBe("http://shop.example/api/api/v1/key");
    const { error } = await sentTo("http://api.example");
    expect(error).toMatch(/^unsafe_environment .*api\.example.*allowInsecure/);
    const allowed = await sentTo("http://api.example", { allowInsecure: true });
    expect(allowed.url).toBe("http://api.example/api/v1/key");
  });

  it.each([
    "/api/tryon",
    "https://a:b@shop.example",
    "https://shop.example/?a=b",
    "file:///etc",
    undefined as unknown as string,
  ])("throws for %s outside of a page", async (url) => {
    const isService = url === undefined && name === "proxyUrl";
    const missing = isService ? "apiKey is missing" : `${name} is not`;
    expect((await sentTo(url)).error).toMatch(new RegExp(`^invalid_config ${missing}`));
  });

  it("can be created on a server, without a page", () => {
    const page = create("/api/tryon", {});
    expect(page.toJSON()).toEqual({ name: page.constructor.name });
  });
});

describe("a client with proxyUrl", () => {
  it("sends the key of a middleware", async () => {
    // A middleware can send the credentials of its app.
    const { url, headers } = await sentBy((options) => {
      return new TryOn({
        ...options,
        proxyUrl: mount,
        middleware: (request, next) => {
          expect(request.headers.has("authorization")).toBe(false);
          request.headers.set("authorization", "Bearer session");
          return next(request);
        },
      });
    });
    expect(url).toBe(`${mount}/api/v1/key`);
    expect(headers.get("authorization")).toBe("Bearer session");
  });

  it.each<[TryOnOptions, RegExp]>([
    [{ apiKey: "svc_test_a" }, /^invalid_config proxyUrl.*apiKey/],
    [{ baseUrl: "https://tryon.example" }, /^invalid_config proxyUrl.*baseUrl/],
  ])("throws with %j", async (own, words) => {
    const { error } = await sentBy((options) => new TryOn({ ...options, ...own, proxyUrl: mount }));
    expect(error).toMatch(words);
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
    const live = { apiKey: "svc_live_a", baseUrl: "https://tryon.example" };
    expect((await sentBy(() => new TryOn(live))).error).toMatch(/a browser.*proxyUrl/);
    expect((await sentBy(() => new TryOn())).error).toMatch(/apiKey is missing.*proxyUrl/);
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
