import { inspect } from "node:util";

import { afterEach, describe, expect, it, vi } from "vitest";

import { isTryOnError, TryOn, type TryOnOptions } from "../index.ts";
import { accountBody } from "../../test/http-server.ts";
import { createRawClient } from "../raw/index.ts";

const fetch = async (): Promise<Response> => new Response(accountBody);
const good = { apiKey: "svc_test_a", baseUrl: "https://tryon.example", fetch } as const;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

function refusal(options: TryOnOptions): unknown {
  try {
    return new TryOn(options);
  } catch (error) {
    return error;
  }
}

describe("a client", () => {
  it("names the option and the variable of what is missing, at the first request", async () => {
    vi.stubEnv("TRYON_API_KEY", undefined);
    vi.stubEnv("TRYON_BASE_URL", " ");
    for (const [options, words] of [
      [{ baseUrl: good.baseUrl }, ["apiKey", "TRYON_API_KEY"]],
      [{ apiKey: good.apiKey }, ["baseUrl", "TRYON_BASE_URL"]],
    ] as const) {
      const error: unknown = await new TryOn(options).account
        .get()
        .catch((error_: unknown) => error_);
      if (!isTryOnError(error, "invalid_config")) throw error;
      for (const word of words) expect(error.message).toContain(word);
    }
  });

  it("reads the environment at the first request and not before", async () => {
    const tryon = new TryOn({
      fetch: async (url, init) => {
        expect(url).toBe("https://env.example/api/v1/account");
        expect(new Headers(init.headers).get("authorization")).toBe("Bearer svc_test_env");
        return fetch();
      },
    });
    vi.stubEnv("TRYON_API_KEY", "svc_test_env\n");
    vi.stubEnv("TRYON_BASE_URL", "https://env.example/");
    await expect(tryon.account.get()).resolves.toMatchObject({ credits_remaining: 5 });
  });

  it("does without an environment, and without the right to read it", async () => {
    vi.stubGlobal("process", undefined);
    await expect(new TryOn(good).account.get()).resolves.toBeDefined();
    vi.stubGlobal("process", {
      get env() {
        throw new Error("not allowed");
      },
    });
    await expect(new TryOn(good).account.get()).resolves.toBeDefined();
  });

  it.each([
    ["https://tryon.example", "https://tryon.example/api/v1/account"],
    ["https://tryon.example/", "https://tryon.example/api/v1/account"],
    ["https://tryon.example/prefix//", "https://tryon.example/prefix/api/v1/account"],
    [new URL("https://tryon.example/prefix"), "https://tryon.example/prefix/api/v1/account"],
    ["http://localhost:4010", "http://localhost:4010/api/v1/account"],
    ["http://127.0.0.1:4010/", "http://127.0.0.1:4010/api/v1/account"],
    ["http://[::1]:4010/", "http://[::1]:4010/api/v1/account"],
  ])("with the address %s asks %s", async (baseUrl, asked) => {
    const urls: string[] = [];
    const tryon = new TryOn({
      ...good,
      baseUrl,
      fetch: async (url) => {
        urls.push(url);
        return fetch();
      },
    });
    await tryon.account.get();
    await createRawClient(tryon).GET("/api/v1/account");
    expect(urls).toEqual([asked, asked]);
  });

  it.each<[string, TryOnOptions, string, string]>([
    ["a blank key", { apiKey: " " }, "invalid_config", "apiKey is blank"],
    ["a key with other characters", { apiKey: "svc_test_ä" }, "invalid_config", "TRYON_API_KEY"],
    ["a blank address", { baseUrl: "" }, "invalid_config", "baseUrl is blank"],
    ["no address", { baseUrl: "tryon.example" }, "invalid_config", "TRYON_BASE_URL"],
    ["an address of a file", { baseUrl: "file:///etc" }, "invalid_config", "http or https"],
    [
      "an address with a password",
      { baseUrl: "https://a:b@tryon.example" },
      "invalid_config",
      "without user",
    ],
    ["http elsewhere", { baseUrl: "http://tryon.example" }, "unsafe_environment", "allowInsecure"],
    [
      "http at what looks like here",
      { baseUrl: "http://127.0.0.1.example" },
      "unsafe_environment",
      "allowInsecure",
    ],
    [
      "a live key in a test",
      { apiKey: "svc_live_a", fetch: undefined },
      "unsafe_environment",
      "allowLiveKey",
    ],
    ["a size below 0", { maxResultBytes: -1 }, "invalid_input", "maxResultBytes"],
    ["retries below 0", { retries: -1 }, "invalid_input", "retries"],
    ["a time that is none", { timeout: "soon" as "1s" }, "invalid_input", "timeout"],
    ["a time of 0", { attemptTimeout: 0 }, "invalid_input", "attemptTimeout"],
  ])("with %s is refused at once, and says what to do", (_what, options, code, words) => {
    const error = refusal({ ...good, ...options });
    expect(error).toMatchObject({ code });
    expect(String(error)).toContain(words);
    expect(String(error)).not.toContain("svc_test_ä");
  });

  it.each<TryOnOptions>([
    { apiKey: "svc_live_a" },
    { apiKey: "svc_live_a", fetch: undefined, baseUrl: "http://localhost:1" },
    { apiKey: "svc_live_a", fetch: undefined, allowLiveKey: true },
    { baseUrl: "http://tryon.example", allowInsecure: true },
    { timeout: Number.POSITIVE_INFINITY, attemptTimeout: "90d" },
  ])("is made with %o", (options) => {
    expect(refusal({ ...good, ...options })).toBeInstanceOf(TryOn);
  });

  it.each<TryOnOptions>([
    { baseUrl: "https://ada:pa55word@tryon.example/a" },
    { baseUrl: new URL("https://ada:pa55word@tryon.example/a") },
    { baseUrl: "ada:pa55word@tryon.example" },
    { baseUrl: "https://tryon.example/a?token=pa55word" },
    { proxyUrl: "https://ada:pa55word@tryon.example/a" },
    { proxyUrl: "//ada:pa55word@tryon.example/a#pa55word" },
  ])("shows nothing secret of %o", async (options) => {
    vi.stubEnv("TRYON_API_KEY", "svc_test_env");
    vi.stubGlobal("location", new URL("https://shop.example/page"));
    const said: unknown[] = [];
    const logger = { debug: (...line: unknown[]) => void said.push(line) };
    const tryon = new TryOn({ ...options, fetch, logger });
    const error: unknown = await tryon.account.get().catch((error_: unknown) => error_);
    expect(error).toMatchObject({ code: "invalid_config" });
    for (const held of [tryon, tryon.jobs, tryon.account, tryon.credits, error, said]) {
      const text = [
        JSON.stringify(held),
        inspect(held, { showHidden: true, depth: 9 }),
        String(held),
      ];
      expect(text.join("\n")).not.toContain("pa55word");
    }
  });

  it.each<[TryOnOptions, string | undefined]>([
    [{}, undefined],
    [{ baseUrl: "https://ada:pa55word@tryon.example/a?b=c#d" }, "https://tryon.example/a"],
    [{ baseUrl: "pa55word@tryon.example" }, undefined],
    [{ proxyUrl: "https://ada:pa55word@tryon.example/a?b=c#d" }, "https://tryon.example/a"],
    [{ proxyUrl: "//ada:pa55word@tryon.example/a" }, "http://tryon.example/a"],
    [{ proxyUrl: "/api/tryon?token=pa55word" }, "/api/tryon"],
  ])("with %o shows origin and path alone: %s", (options, baseUrl) => {
    expect(new TryOn(options).toJSON()).toEqual({ name: "TryOn", baseUrl });
  });

  it("refuses a live key in a browser", () => {
    vi.stubGlobal("document", {});
    const error = refusal({ ...good, apiKey: "svc_live_a", fetch: undefined });
    expect(String(error)).toContain("a browser");
  });

  it("does not take a long time limit for none", async () => {
    await expect(
      new TryOn({ ...good, timeout: "60d" }).account.get({ timeout: "60d" }),
    ).resolves.toBeDefined();
  });
});

describe("raw", () => {
  it("sends the key nowhere else", async () => {
    const tryon = new TryOn(good);
    await expect(
      createRawClient(tryon).GET("/api/v1/account", { baseUrl: "https://evil.example" }),
    ).rejects.toMatchObject({ code: "invalid_input" });
  });
});
