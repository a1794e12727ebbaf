import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { packedPackages } from "@tryon/test-kit/packages";
import { node } from "@tryon/test-kit/repository";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { accountBody, httpServer } from "../../test/http-server.ts";

let app: AppFolder;

beforeAll(async () => {
  const { client } = await packedPackages();
  app = await AppFolder.create("tools");
  const packages = [
    "dd-trace@6.21.0",
    "zone.js@0.16.3",
    "next@16.4.6",
    "react@19.2.0",
    "react-dom@19.2.0",
    "jest@30.5.2",
    "vitest@5.1.0",
    "mocha@12.0.3",
    "sinon@22.1.0",
    "nock-13@npm:nock@13.5.6",
    "nock-15@npm:nock@15.0.6",
    "undici@8.13.1",
    "msw@3.0.5",
    "fetch-mock@12.6.0",
    "@pollyjs/core@6.0.6",
    "@pollyjs/adapter-fetch@6.0.7",
    "node-fetch-2@npm:node-fetch@2.7.0",
    "node-fetch-3@npm:node-fetch@3.3.2",
    "cross-fetch@4.1.0",
    `node-26@npm:node-linux-${process.arch}@26.10.0`,
  ];
  await app.install([client, ...packages]);
}, installing);

afterAll(() => app.remove(), installing);

/** Runs a program that prints a list as JSON, and returns the list. */
async function run(code: string, args: readonly string[] = [], program = node): Promise<unknown> {
  await app.write("program.mjs", code);
  const text = await app.run(program, [...args, "program.mjs"], { DD_TRACE_AGENT_PORT: "1" });
  // Tools print to the same output.
  return JSON.parse(/^\[(?:"|\]).*$/m.exec(text)?.[0] ?? text);
}

const imports = `import { Agent } from "node:http"; import { TryOn } from "@tryon/client";`;

/** Returns the transports of requests with default options, an agent and each transport, and what was logged. */
async function transports(prepare: string, args?: readonly string[]) {
  const { url, got } = await httpServer((response) => response.end(accountBody));
  const logged = await run(
    `${imports}
    ${prepare}
    const logged = [];
    const logger = { info: (message) => logged.push(message) };
    for (const own of [{}, { agent: new Agent() }, { transport: "node" }, { transport: "fetch" }]) {
      const tryon = new TryOn({ apiKey: "svc_test_1", baseUrl: "${url}", logger, ...own });
      await tryon.account.get();
      await tryon.account.get();
    }
    console.log(JSON.stringify(logged));
    process.exit();`,
    args,
  );
  const used = got.map(({ headers }) => ("sec-fetch-mode" in headers ? "fetch" : "http"));
  expect(used.length).toBe(8);
  return { used: used.filter((_one, index) => index % 2 > 0), logged };
}

describe("a fetch that is not that of Node", () => {
  it.each([
    ["undici 8, which only sets its dispatcher", `await import("undici");`, []],
    ["dd-trace", "", ["--import", "dd-trace/initialize.mjs"]],
    ["zone.js", "", ["--import", "zone.js/node"]],
    [
      "Next.js",
      `globalThis.AsyncLocalStorage = (await import("node:async_hooks")).AsyncLocalStorage;
      const { default: next } = await import("next/dist/server/lib/patch-fetch.js");
      const workAsyncStorage = new AsyncLocalStorage();
      next.patchFetch({ workAsyncStorage, workUnitAsyncStorage: new AsyncLocalStorage() });
      if (!fetch.__nextPatched) throw new Error("not patched");`,
      [],
    ],
  ])("is no replacement if it is a wrapper of %s", async (_name, prepare, args) => {
    const used = ["http", "http", "http", "fetch"];
    expect(await transports(prepare, args)).toEqual({ used, logged: [] });
  });

  it("gets the requests without an agent, and is logged once", async () => {
    const prepare = "const own = fetch; globalThis.fetch = (...given) => own(...given);";
    const { used, logged } = await transports(prepare);
    expect(used).toEqual(["fetch", "http", "http", "fetch"]);
    expect(logged).toEqual([
      'Requests go to fetch, since globalThis.fetch is not that of Node. transport: "node" sends them over node:http.',
      "Requests go over node:http with agent, not to globalThis.fetch, which is not that of Node.",
    ]);
  });
});

describe("a test that replaces fetch beside an agent", () => {
  const body = `
    const { Agent } = require("node:http");
    const { TryOn } = require("@tryon/client");
    const send = async () => {
      const tryon = new TryOn({ apiKey: "svc_test_1", baseUrl: process.env.URL, agent: new Agent() });
      const error = await tryon.account.get().catch((error) => error);
      if (error.code !== "invalid_config" || !/transport: "node"/.test(error.message)) throw error;
    };`;

  it.each<[name: string, file: string, code: string, args: readonly string[]]>([
    [
      "jest",
      "a.jest.cjs",
      `test("a", async () => { jest.spyOn(globalThis, "fetch"); await send(); });`,
      ["node_modules/jest/bin/jest.js", "--testMatch=**/*.jest.cjs"],
    ],
    [
      "vitest",
      "a.test.mjs",
      `test("a", async () => { vi.stubGlobal("fetch", async () => {}); await send(); });`,
      ["node_modules/vitest/vitest.mjs", "run"],
    ],
    [
      "mocha with sinon",
      "a.mocha.cjs",
      `it("a", async () => { require("sinon").stub(globalThis, "fetch"); await send(); });`,
      ["node_modules/mocha/bin/mocha.js", "a.mocha.cjs"],
    ],
    [
      "mocha",
      "b.mocha.cjs",
      `it("a", async () => { globalThis.fetch = async () => {}; await send(); });`,
      ["node_modules/mocha/bin/mocha.js", "b.mocha.cjs"],
    ],
    [
      "node:test",
      "a.node.cjs",
      `require("node:test")("a", async ({ mock }) => { mock.method(globalThis, "fetch"); await send(); });`,
      ["a.node.cjs"],
    ],
    [
      "a MockAgent",
      "b.node.cjs",
      `const { MockAgent, setGlobalDispatcher } = require("undici");
      setGlobalDispatcher(new MockAgent());
      void send();`,
      ["b.node.cjs"],
    ],
  ])("sends nothing, with %s", async (_name, file, code, args) => {
    const { url, got } = await httpServer((response) => response.end(accountBody));
    const header = `import { createRequire } from "node:module"; import { test, vi } from "vitest";
      const require = createRequire(import.meta.url);`;
    await app.write(file, (file.endsWith(".mjs") ? header : "") + body + code);
    await app.run(node, args, { URL: url });
    expect(got).toEqual([]);
  });
});

describe("a submission that this process refuses to send", () => {
  const submit = `
    const tryon = new TryOn({ apiKey: "svc_test_1", baseUrl: "http://127.0.0.1:2", ...options });
    const person = new Blob([Uint8Array.of(0xff, 0xd8, 0xff), new Uint8Array(size)]);
    const { code, message, attempts } = await tryon
      .submit({ person, garments: ["https://shop.example/shirt.png"] }, { validate: false })
      .catch((error) => error);
    console.log(JSON.stringify([code, message, attempts.length]));
    process.exit();`;
  const nock = ["nock-13", "nock-15"].flatMap((tool) => [
    [tool, `nock("http://127.0.0.1:2").get("/other").reply(200);`, "Nock: No match for request"],
    [tool, "nock.disableNetConnect();", "Nock: Disallowed net connect"],
  ]);
  const refusals = [
    ...nock.map(([tool, code, reason]) => [tool, `import nock from "${tool}"; ${code}`, reason]),
    [
      "undici",
      `import { MockAgent, setGlobalDispatcher } from "undici";
      const agent = new MockAgent(); agent.disableNetConnect(); setGlobalDispatcher(agent);`,
      "Mock dispatch not matched",
    ],
    [
      "msw",
      `import { setupServer } from "msw/node"; setupServer().listen({ onUnhandledFrame: "error" });`,
      "[MSW] Cannot bypass a request",
    ],
    [
      "fetch-mock",
      `import fetchMock from "fetch-mock"; fetchMock.mockGlobal();`,
      "fetch-mock: No response or fallback rule",
    ],
  ];

  it.each(
    refusals.flatMap(([tool, code, reason]) =>
      [3_000, 300_000].map((size) => [tool, size, code, reason] as const),
    ),
  )("is not made and not retried: %s, %i bytes", async (_tool, size, code, reason) => {
    const program = `${imports} const size = ${size}; const options = {}; ${code} ${submit}`;
    const [error, message, attempts] = (await run(program)) as [string, string, number];
    expect([error, attempts]).toEqual(["connection_failed", 1]);
    expect(message).toContain(`POST /api/v1/tryon was not sent: ${reason}`);
    expect(message).toContain("Mock this request");
    // Neither headers nor the body.
    expect(message).not.toMatch(/idempotency|person_image|shop\.example/i);
  });

  it.each(["{}", '{ transport: "fetch" }'])("without the permission of Node: %s", async (own) => {
    const program = `${imports} const size = 10; const options = ${own}; ${submit.replace(":2", ":2000")}`;
    const flags = ["--permission", "--allow-fs-read=*"];
    const [error, message, attempts] = (await run(
      program,
      flags,
      app.path("node_modules/node-26/bin/node"),
    )) as [string, string, number];
    expect([error, attempts]).toEqual(["connection_failed", 1]);
    expect(message).toMatch(/was not sent: .*restricted.* Start Node with --allow-net\.$/);
  });

  it("without a global fetch", async () => {
    const options = `{ transport: "fetch" }; delete globalThis.fetch;`;
    const program = `${imports} const size = 10; const options = ${options} ${submit}`;
    const message = "This runtime has no fetch, so nothing was sent. Pass the option fetch.";
    expect(await run(program)).toEqual(["invalid_config", message, 0]);
  });

  it("has the message of the cause if that proves nothing: Polly", async () => {
    const polly = `import { Polly } from "@pollyjs/core"; import adapter from "@pollyjs/adapter-fetch";
      Polly.register(adapter);
      new Polly("a", { adapters: ["fetch"], recordIfMissing: false, logLevel: "silent" });`;
    const program = `${imports} ${polly} const size = 300_000; const options = {}; ${submit}`;
    const [error, message] = (await run(program)) as [string, string];
    expect(error).toBe("outcome_unknown");
    expect(message).toContain("failed with connection_failed: [Polly] [adapter:fetch] ");
  });
});

describe("the option fetch", () => {
  it.each(
    ["node-fetch-2", "node-fetch-3", "cross-fetch"].flatMap((name) =>
      [3_000, 300_000].map((size) => [name, size] as const),
    ),
  )("completes a try-on with %s and %i bytes, within the limit", async (name, size) => {
    const mock = createMock({ latency: 0 });
    const server = await serve(mock);
    onTestFinished(async () => {
      await server.close();
      mock.close();
    });
    const program = `
      import { TryOn } from "@tryon/client"; import fetch from "${name}";
      const options = { apiKey: "${mock.keys.live}", baseUrl: "${server.url}", fetch };
      const tryon = new TryOn(options);
      const person = new Blob([Uint8Array.of(0xff, 0xd8, 0xff), new Uint8Array(${size})]);
      const input = { person, garments: ["https://shop.example/shirt.png"] };
      const { image, job } = await tryon.run(input, { validate: false });
      const bytes = await image.bytes();
      const small = new TryOn({ ...options, maxResultBytes: 1_000 });
      const limited = await small.jobs.resume(job).result();
      const { code } = await limited.image.bytes().catch((error) => error);
      console.log(JSON.stringify([String.fromCharCode(...bytes.subarray(1, 4)), code]));
      process.exit();`;
    expect(await run(program)).toEqual(["PNG", "unexpected_response"]);
    const [submission] = mock.journal.entries({ method: "POST" });
    expect(submission?.status).toBe(200);
  });
});
