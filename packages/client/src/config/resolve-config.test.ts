import { inspect } from "node:util";

import { createMock } from "@tryon/mock";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { isTryOnError, TryOn, type TryOnOptions } from "../index.ts";
import { accountBody } from "../../test/http-server.ts";
import { failure } from "../../test/service.ts";
import { createRawClient } from "../raw/index.ts";
import { systemClock } from "./clock.ts";

const fetch = async (): Promise<Response> => new Response(accountBody);
const good = { apiKey: "svc_test_a", baseUrl: "https://tryon.example", fetch } as const;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

function construct(options: TryOnOptions): unknown {
  try {
    return new TryOn(options);
  } catch (error) {
    return error;
  }
}

describe("the options of a client", () => {
  it.each([
    [{ baseUrl: good.baseUrl }, "apiKey", "TRYON_API_KEY"],
    [{ apiKey: good.apiKey }, "baseUrl", "TRYON_BASE_URL"],
  ])(
    "fail the first request with only %o, which names what is missing",
    async (options, ...names) => {
      vi.stubEnv("TRYON_API_KEY", undefined);
      vi.stubEnv("TRYON_BASE_URL", " ");
      const error = await failure(new TryOn(options).account.get());
      if (!isTryOnError(error, "invalid_config")) throw error;
      for (const name of names) expect(error.message).toContain(name);
    },
  );

  it("are read from the environment at the first request", async () => {
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

  it("include the clock of useMock, which the client reads with them", async () => {
    const symbol = Symbol.for("@tryon/client.clock");
    onTestFinished(() => void Reflect.deleteProperty(globalThis, symbol));
    vi.stubEnv("TRYON_API_KEY", good.apiKey);
    vi.stubEnv("TRYON_BASE_URL", good.baseUrl);
    const mock = createMock({ clock: "manual" });
    const early = new TryOn({ fetch });
    const complete = new TryOn(good);
    Reflect.set(globalThis, symbol, mock.clock);
    const given = new TryOn({ ...good, clock: systemClock });
    expect([early.clock, complete.clock, given.clock]).toEqual([
      mock.clock,
      systemClock,
      systemClock,
    ]);
    expect(new TryOn(good).clock).toBe(mock.clock);
    Reflect.deleteProperty(globalThis, symbol);
    expect([early.clock, new TryOn(good).clock]).toEqual([mock.clock, systemClock]);
  });

  it("suffice without an environment, or without permission to read it", async () => {
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
  ])("send a request for baseUrl %s to %s", async (baseUrl, url) => {
    const urls: string[] = [];
    const tryon = new TryOn({
      ...good,
      baseUrl,
      fetch: async (sentTo) => {
        urls.push(sentTo);
        return fetch();
      },
    });
    await tryon.account.get();
    await createRawClient(tryon).GET("/api/v1/account");
    expect(urls).toEqual([url, url]);
  });

  it.each<[TryOnOptions, string, string]>([
    [{ apiKey: " " }, "invalid_config", "apiKey is empty"],
    [{ apiKey: "svc_test_ä" }, "invalid_config", "TRYON_API_KEY"],
    [{ apiKey: "svc_test_a svc_test_b" }, "invalid_config", "contains white space. Copy it again."],
    [{ apiKey: "'svc_test_a'" }, "invalid_config", "apiKey (TRYON_API_KEY) has quotes around it."],
    [{ apiKey: "undefined" }, "invalid_config", "apiKey (TRYON_API_KEY) is blank, `undefined`"],
    [{ recoveryKeys: ['"svc_test_a"'] }, "invalid_input", "recoveryKeys"],
    [{ baseUrl: "" }, "invalid_config", "baseUrl is empty"],
    [{ baseUrl: "tryon.example" }, "invalid_config", "TRYON_BASE_URL"],
    [
      { baseUrl: "https://tryon.example/eu/api/v1/" },
      "invalid_config",
      "Use https://tryon.example/eu.",
    ],
    [
      { baseUrl: "https://tryon.example/api/v1/tryon" },
      "invalid_config",
      "ends in /api/v1/tryon, which the client adds. Use https://tryon.example.",
    ],
    [{ baseUrl: "file:///etc" }, "invalid_config", "http or https"],
    [{ baseUrl: "https://a:b@tryon.example" }, "invalid_config", "without user"],
    [{ baseUrl: "http://tryon.example" }, "unsafe_environment", "allowInsecure"],
    [{ baseUrl: "http://127.0.0.1.example" }, "unsafe_environment", "allowInsecure"],
    [{ apiKey: "svc_live_a", fetch: undefined }, "unsafe_environment", "allowLiveKey"],
    [{ maxResultBytes: -1 }, "invalid_input", "maxResultBytes"],
    [{ retries: -1 }, "invalid_input", "retries"],
    [{ timeout: "soon" as "1s" }, "invalid_input", "timeout"],
    [{ attemptTimeout: 0 }, "invalid_input", "attemptTimeout"],
  ])("are rejected at construction with %o as %s, with a hint", (options, code, hint) => {
    const error = construct({ ...good, ...options });
    expect(error).toMatchObject({ code });
    expect(String(error)).toContain(hint);
    expect(String(error)).not.toContain("svc_test_ä");
  });

  it.each<TryOnOptions>([
    { apiKey: "svc_live_a" },
    { apiKey: "svc_live_a", fetch: undefined, baseUrl: "http://localhost:1" },
    { apiKey: "svc_live_a", fetch: undefined, allowLiveKey: true },
    { baseUrl: "http://tryon.example", allowInsecure: true },
    { timeout: Number.POSITIVE_INFINITY, attemptTimeout: "90d" },
  ])("are accepted with %o", (options) => {
    expect(construct({ ...good, ...options })).toBeInstanceOf(TryOn);
  });

  it.each<TryOnOptions>([
    {},
    { baseUrl: "https://ada:pa55word@tryon.example/a?b=c#d" },
    { baseUrl: new URL("https://ada:pa55word@tryon.example/a") },
    { baseUrl: "https://tryon.example/a?token=pa55word" },
    { baseUrl: "pa55word@tryon.example" },
    { baseUrl: "ada:pa55word@tryon.example" },
    { proxyUrl: "https://ada:pa55word@tryon.example/a?b=c#d" },
    { proxyUrl: "//ada:pa55word@tryon.example/a#pa55word" },
    { proxyUrl: "/api/tryon?token=pa55word" },
  ])("that are rejected at the first call are shown without their secrets: %o", async (options) => {
    vi.stubEnv("TRYON_API_KEY", "svc_test_env");
    vi.stubGlobal("location", new URL("https://shop.example/page"));
    const lines: unknown[] = [];
    const logger = { debug: (...line: unknown[]) => void lines.push(line) };
    const tryon = new TryOn({ ...options, fetch, logger });
    expect(tryon.toJSON()).toEqual({ name: "TryOn", baseUrl: undefined });
    const error = await failure(tryon.account.get());
    expect(error).toMatchObject({ code: "invalid_config" });
    for (const held of [tryon, tryon.jobs, tryon.account, tryon.credits, error, lines]) {
      const text = [
        JSON.stringify(held),
        inspect(held, { showHidden: true, depth: 9 }),
        String(held),
      ];
      expect(text.join("\n")).not.toContain("pa55word");
    }
  });
});

it("does not send the key of a raw client to another origin", async () => {
  await expect(
    createRawClient(new TryOn(good)).GET("/api/v1/account", { baseUrl: "https://evil.example" }),
  ).rejects.toMatchObject({ code: "invalid_input" });
});
