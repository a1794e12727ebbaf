import { afterEach, describe, expect, it, vi } from "vitest";

import {
  createProxyService,
  jsonHeaders,
  mount,
  tryOn,
  validOptions,
} from "../../test/proxy-service.ts";
import { assetBytes, input } from "../../test/service.ts";
import { createProxy, type ProxyOptions } from "./index.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const secret = "a secret of 32 characters or more";

it("makes a try-on for a page, which reads its image before and after a reload", async () => {
  const { run, page, balance, reported } = createProxyService();
  const result = await run(page("ada").run({ ...input, person: assetBytes("person.jpg") }));
  const { job, image, receipt } = result;
  expect((await run(image.bytes())).length).toBeGreaterThan(1_000);
  expect(job.id).toMatch(/^job_[a-zA-Z0-9]{24}[\da-f]{32}$/);
  expect(receipt).toMatchObject({ credits: undefined, balance: undefined });
  const again = await run(
    page("ada")
      .jobs.resume(JSON.parse(JSON.stringify(job)))
      .result(),
  );
  expect(again.job.id).toBe(job.id);
  expect(await run(again.image.url())).toContain("/results/");
  expect([await balance(), reported]).toEqual([992, []]);
});

it("passes the user of authorize to limit and addFields with its own type", async () => {
  const plans: string[] = [];
  const sessions = new Map([["session=1", { id: "ada", plan: "free" }]]);
  const proxy = createProxy({
    ...validOptions,
    authorize: async ({ headers }) => sessions.get(headers.get("cookie") ?? ""),
    limit: ({ user: { plan }, kind }) => plans.push(`${kind} ${plan}`) > 0,
    addFields: ({ user: { plan } }) => ({ metadata: { plan } }),
    fetch: async (_url, { body }) => {
      expect(body).toContain('"metadata":{"plan":"free"}');
      return Response.json({ job_id: "job_1", status: "running" });
    },
  });
  const headers = { ...jsonHeaders, cookie: "session=1" };
  const init = { method: "POST", headers, body: JSON.stringify(tryOn) };
  expect((await proxy(new Request(`${mount}/api/v1/tryon`, init))).status).toBe(200);
  expect(plans).toEqual(["submit free"]);
});

it.each<[object, string]>([
  [{ authorize: undefined }, "authorize"],
  [{ apiKey: " " }, "apiKey"],
  [{ apiKey: "svc_test_ä" }, "apiKey"],
  [{ baseUrl: "tryon.example" }, "baseUrl"],
  [{ baseUrl: "http://tryon.example" }, "allowInsecure"],
  [{ baseUrl: "tryon.example", apiKey: async () => "svc_test_a", secret }, "baseUrl"],
  [{ apiKey: "svc_live_a", fetch: undefined }, "allowLiveKey"],
  [{ secret: "a".repeat(31) }, "secret must have at least 32 characters"],
  [{ secret: "a".repeat(31) }, "openssl rand -base64 32"],
  [{ secret: `"${secret}"` }, "secret has quotes around it"],
  [{ secret: " ".repeat(40) }, "secret must have at least 32 characters"],
  [{ apiKey: async () => "svc_test_a" }, "secret must have at least 32 characters"],
  [{ origins: ["*"] }, "origins"],
  [{ origins: ["https://shop.example/"] }, "origins"],
  [{ origins: ["shop.example"] }, "origins"],
  [{ sizes: [] }, "sizes"],
  [{ sizes: ["8K"] }, "sizes"],
  [{ fields: ["webhook_url"] }, "webhook_url"],
  [{ basePath: "" }, "basePath"],
  [{ basePath: "//shop.example/api" }, "basePath"],
  [{ basePath: "https://shop.example/api/tryon" }, "basePath"],
  [{ basePath: "/api/../tryon" }, "basePath"],
  [{ basePath: "/api?a=b" }, "basePath"],
  [{ allow: { lists: true } }, "allow has no operation lists. Did you mean list?"],
  [{ allow: { get: true } }, "allow has no operation get. Use one of: list, account, purchase."],
  [{ maxRefusals: 3 }, "maxRefusals must be"],
  [{ maxRefusals: { count: 0, per: "1d" } }, "maxRefusals must be"],
  [{ maxRefusals: { count: 3 } }, "maxRefusals must be"],
  [{ maxRefusals: { count: 3, per: "59s" } }, "maxRefusals must be"],
  [{ maxRefusals: { count: 3, per: "31d" } }, "maxRefusals must be"],
  [{ maxRefusals: { count: 3, per: "1h", max: 3 } }, "maxRefusals has no field max"],
  [{ onRefusal: () => {} }, "needs maxRefusals"],
  [{ retries: 3 }, "retries is not an option of createProxy. Use one of: authorize, "],
])("throws for %j, and names the option", (options, message) => {
  expect(() => createProxy({ ...validOptions, ...options })).toThrow(message);
});

it("throws without options, and ignores those that are undefined", () => {
  // Callers without types can omit them.
  expect(() => createProxy(undefined as unknown as ProxyOptions)).toThrow(/authorize/);
  const typo = { base_path: undefined };
  expect(createProxy({ ...validOptions, ...typo })).toBeTypeOf("function");
});

it("reads the environment at the first request, and reports a missing variable to onError", async () => {
  vi.stubEnv("TRYON_API_KEY", undefined);
  vi.stubEnv("TRYON_BASE_URL", undefined);
  const { post, reported, sent, mock } = createProxyService({
    apiKey: undefined,
    baseUrl: undefined,
  });
  const response = await post("ada", tryOn);
  expect([response.status, await response.json()]).toEqual([500, { detail: "The proxy failed." }]);
  expect(String(reported[0]?.cause)).toContain("TRYON_API_KEY");
  vi.stubEnv("TRYON_API_KEY", mock.keys.live);
  vi.stubEnv("TRYON_BASE_URL", `${mock.baseUrl}/`);
  expect((await post("ada", tryOn)).status).toBe(200);
  expect(sent.map(({ url }) => url)).toEqual([`${mock.baseUrl}/api/v1/tryon`]);
});

describe("a function as API key", () => {
  it("is called once per request of a user, and its keys never appear in a response", async () => {
    const keys = ["key-of-monday", "key-of-tuesday"];
    let calls = 0;
    const used: (string | null)[] = [];
    const { post, ask, proxy } = createProxyService({
      apiKey: async () => keys[calls++] ?? "",
      secret,
      fetch: async (_url, init) => {
        const key = new Headers(init.headers).get("authorization");
        used.push(key);
        return Response.json({ job_id: "job_1", status: "failed", message: `No ${key}.` });
      },
    });
    const submitted = (await (await post("ada", tryOn)).json()) as { job_id: string };
    const read = await ask("ada", `/api/v1/tryon/${submitted.job_id}`);
    expect(used).toEqual(keys.map((key) => `Bearer ${key}`));
    expect(JSON.stringify([submitted, await read.json()])).not.toContain("key-of");
    // Requests without a user do not get that far.
    await proxy(new Request(`${mount}/api/v1/tryon/job_1`));
    expect(calls).toBe(2);
  });

  it.each<[string, () => string | Promise<string>]>([
    ["throws", () => Promise.reject(new Error("the vault is sealed"))],
    ["returns a blank key", () => " "],
    ["returns no key", () => undefined as unknown as string],
  ])("becomes a 500 and a report if it %s", async (_name, apiKey) => {
    const { post, sent, reported } = createProxyService({ apiKey, secret });
    const response = await post("ada", tryOn);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ detail: "The proxy failed." });
    expect(reported).toMatchObject([{ cause: expect.any(Error) as unknown, kind: "submit" }]);
    expect(sent).toEqual([]);
  });
});

it.each<[string, Partial<ProxyOptions>, number]>([
  ["valid after a change of the key, with the same secret", { apiKey: "svc_test_b", secret }, 200],
  ["valid with a line break after the secret", { secret: ` ${secret}\n` }, 200],
  ["invalid after a change of the secret", { secret: `${secret}!` }, 404],
  ["invalid after a change of the key that signed them", { apiKey: "svc_test_b" }, 404],
])("keeps signed job ids %s", async (_name, changed, status) => {
  const options = {
    ...validOptions,
    authorize: () => ({ id: "ada" }),
    fetch: async () => Response.json({ job_id: "job_1", status: "running" }),
    secret: changed.secret && secret,
  };
  const [before, after] = [createProxy(options), createProxy({ ...options, ...changed })];
  const submission = { method: "POST", headers: jsonHeaders, body: JSON.stringify(tryOn) };
  const made = await before(new Request(`${mount}/api/v1/tryon`, submission));
  const { job_id: id } = (await made.json()) as { job_id: string };
  expect((await after(new Request(`${mount}/api/v1/tryon/${id}`))).status).toBe(status);
});
