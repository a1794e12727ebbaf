import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { packedPackages } from "@tryon/test-kit/packages";
import { node } from "@tryon/test-kit/repository";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { authority } from "../../test/authority.ts";

let app: AppFolder;

beforeAll(async () => {
  const { client, mock } = await packedPackages();
  app = await AppFolder.create("environments");
  const jestWithDoms = "jest-environment-jsdom@30.5.2 jest-fixed-jsdom@0.0.11 jest@30.5.2";
  const doms = "@happy-dom/jest-environment@20.14.5 happy-dom@21.0.4 jsdom@31.0.1";
  const others = "mocha@12.0.3 sinon@22.1.0 vitest@5.1.0";
  await app.install([client, mock, ...`${jestWithDoms} ${doms} ${others}`.split(" ")]);
  for (const [path, text] of Object.entries({ ...files, "authority.json": identity() })) {
    await app.write(path, text);
  }
}, installing);

afterAll(() => app.remove(), installing);

function identity(): string {
  const root = authority();
  return JSON.stringify({ ca: root.ca, ...root.certify("localhost") });
}

const required = `
const { TryOn } = require("@tryon/client");
const { createMock } = require("@tryon/mock");
const { nodeNetwork, serve, setupMock } = require("@tryon/mock/node");
`;
const imported = `
import { TryOn } from "@tryon/client";
import { useMock } from "@tryon/mock/vitest";
import { expect, test } from "vitest";
`;

/** Sends images of the DOM over HTTP, in process and with the global fetch, in one chunk and in many. */
const domTests = `
const image = (start, size) => [Uint8Array.from(start), new Uint8Array(size)];
const inputOf = (size) => ({
  person: new Blob(image([0xff, 0xd8, 0xff, 0xe0], size)),
  garments: [new File(image([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], size), "a.png")],
});
for (const size of [16, 200_000]) {
  for (const way of ["http", "mock", "global"]) {
    test("sends " + size + " bytes, " + way, async () => {
      const fetch = { mock: mock.fetch, global: (...call) => globalThis.fetch(...call) }[way];
      const tryon = new TryOn(fetch && { fetch });
      const { image, receipt } = await mock.clock.runUntil(tryon.run(inputOf(size)));
      expect(receipt.credits).toBe(8);
      expect((await image.blob()).size).toBeGreaterThan(1_000);
      const { fields } = mock.journal.entries({ method: "POST" })[0].submission;
      const length = String(Math.ceil((size + 4) / 3) * 4);
      expect(fields.person_image_b64.replaceAll(",", "")).toContain(length);
    });
  }
}
`;
const hooks = "{ beforeAll, beforeEach, afterEach, afterAll }";

/** Runs try-ons, and reads an image, with and without the clock of the mock. */
const cases = `${required}
const http = require("node:http");
const input = { person: "https://a.example/me.jpg", garments: ["https://a.example/b.png"] };
const wire = { person_url: input.person, garment_urls: input.garments, wait: true };
const text = (url, init = {}, body = "") =>
  new Promise((resolve, reject) => {
    const sent = http.request(url, init, (response) => {
      let read = "";
      response.on("data", (chunk) => (read += chunk)).on("end", () => resolve(read));
    });
    sent.on("error", reject).end(body);
  });
const headers = { authorization: "Bearer svc_live_mock", "content-type": "application/json" };
exports.runReal = async () => {
  const server = await serve(createMock({ latency: 0 }));
  const init = { method: "POST", headers };
  const job = JSON.parse(await text(server.url + "/api/v1/tryon", init, JSON.stringify(wire)));
  const image = await text(job.result_url);
  await server.close();
  return [job.status, image.slice(1, 4)].join();
};
exports.runManual = async (isServed) => {
  const mock = createMock({ clock: "manual", latency: "70s" });
  const server = isServed ? await serve(mock) : { url: mock.baseUrl };
  const { fetch, clock, keys } = mock;
  const options = { apiKey: keys.live, baseUrl: server.url, clock, ...(!isServed && { fetch }) };
  const result = await clock.runUntil(new TryOn(options).run(input));
  const { length } = await result.image.bytes();
  await server.close?.();
  return [result.job.status, length > 1_000].join();
};
`;
const timerTests = (equal: string): string => `
test("real clock", async () => ${equal}(await cases.runReal(), "succeeded,PNG"));
test("manual clock", async () => ${equal}(await cases.runManual(false), "succeeded,true"));
test("served", async () => ${equal}(await cases.runManual(true), "succeeded,true"));
`;
const expectEqual = "((a, b) => expect(a).toBe(b))";

const files = {
  "cases.cjs": cases,
  "fetching-jsdom.cjs": `
    const { TestEnvironment } = require("jest-environment-jsdom");
    const added = { fetch, Request, Response, Headers, ReadableStream, TextEncoder, TextDecoder };
    module.exports = class extends TestEnvironment {
      constructor(...given) {
        super(...given);
        Object.assign(this.global, added, { AbortController, AbortSignal });
      }
    };`,
  "dom.jest.cjs": `${required} const mock = setupMock(${hooks}, { clock: "manual" }); ${domTests}`,
  "dom.vitest.mjs": `${imported} const mock = useMock({ clock: "manual" }); ${domTests}`,
  "timers.jest.cjs": `
    const cases = require("./cases.cjs");
    test("is fake", () => expect(setTimeout).toHaveProperty("clock"));
    ${timerTests(expectEqual)}`,
  "fake.json": JSON.stringify({
    fakeTimers: { enableGlobally: true },
    testMatch: ["**/timers.jest.cjs"],
  }),
  "fake.mjs": `import { vi } from "vitest"; vi.useFakeTimers();`,
  "timers.vitest.mjs": `
    import cases from "./cases.cjs";
    import { expect, test } from "vitest";
    test("is fake", () => expect(setTimeout).toHaveProperty("clock"));
    ${timerTests(expectEqual)}`,
  "vitest.config.mjs": `
    export default {
      test: { include: ["*.vitest.mjs"], setupFiles: process.env.SETUP ? [process.env.SETUP] : [] },
    };`,
  "timers.mocha.cjs": `
    const assert = require("node:assert/strict");
    const cases = require("./cases.cjs");
    const sinon = require("sinon");
    before(() => void sinon.useFakeTimers());
    after(() => sinon.restore());
    const test = it;
    ${timerTests("assert.equal")}`,
  "timers.node.cjs": `
    const assert = require("node:assert/strict");
    const { after, before, mock, test } = require("node:test");
    const cases = require("./cases.cjs");
    before(() => mock.timers.enable({ apis: ["setTimeout", "setImmediate", "Date"] }));
    after(() => mock.timers.reset());
    ${timerTests("assert.equal")}`,
  "early.cjs": `require("sinon").useFakeTimers();`,
  "modules.jest.cjs": `${required}
    const https = require("node:https");
    const { ca, ...identity } = require("./authority.json");
    test("sends a webhook over https", async () => {
      const receiver = https.createServer(identity, (request, response) => response.end());
      await new Promise((resolve) => receiver.listen(0, resolve));
      const network = nodeNetwork({ ca });
      const mock = createMock({ latency: 0, network, allowPrivateWebhooks: true });
      const { baseUrl, fetch, keys } = mock;
      const tryon = new TryOn({ apiKey: keys.live, baseUrl, fetch, pollInterval: "100ms" });
      const webhook_url = "https://localhost:" + receiver.address().port;
      const job = await tryon.submit({
        person: "https://a.example/me.jpg",
        garments: ["https://a.example/b.png"],
        webhook_url,
      });
      await job.result();
      const status = async () => (await mock.webhooks.deliveries(job.id))[0]?.attempts[0];
      while ((await status()) === undefined) await new Promise(setImmediate);
      receiver.close();
      expect(await status()).toMatchObject({ status: 200 });
    });
    test.each(["/api/docs", "/__mock/"])("serves %s", async (path) => {
      const server = await serve(createMock());
      const response = await fetch(server.url + path);
      await response.text();
      await server.close();
      expect(response.status).toBe(200);
    });`,
};

const jest = "node_modules/jest/bin/jest.js";
const vitest = "node_modules/vitest/vitest.mjs";

async function outcome(args: readonly string[], environment: Record<string, string> = {}) {
  const program = app.start(node, args, environment);
  const { code } = await program.ended;
  return { code, text: program.text };
}

describe("A DOM", () => {
  test.each([
    ["jest with jsdom and the fetch of Node", [jest, "--env=./fetching-jsdom.cjs"]],
    ["jest-fixed-jsdom", [jest, "--env=jest-fixed-jsdom"]],
    ["jest with happy-dom", [jest, "--env=@happy-dom/jest-environment"]],
    ["vitest with jsdom", [vitest, "run", "--environment=jsdom", "dom"]],
    ["vitest with happy-dom", [vitest, "run", "--environment=happy-dom", "dom"]],
  ])("sends its blobs and files, in %s", async (_name, args) => {
    const isJest = args[0] === jest;
    const { code, text } = await outcome([
      ...args,
      ...(isJest ? ["--testMatch=**/dom.jest.cjs"] : []),
    ]);
    expect(code, text).toBe(0);
    expect(text).toMatch(/6 passed/);
  });

  test("is refused without fetch: the error names the environment to set", async () => {
    const { text } = await outcome([jest, "--env=jsdom", "--testMatch=**/dom.jest.cjs"]);
    expect(text).toMatch(/@tryon\/mock needs .*Request, Response,.* "jest-fixed-jsdom"/s);
  });
});

describe("Fake timers", () => {
  test.each([
    ["before the mock is loaded, in jest", [jest, "-c=fake.json"], {}, /4 passed/],
    [
      "before the mock is loaded, in vitest",
      [vitest, "run", "timers"],
      { SETUP: "./fake.mjs" },
      /4 passed/,
    ],
    ["of node:test", ["--test", "timers.node.cjs"], {}, /pass 3/],
  ])("leave the mock as it is: %s", async (_name, args, environment, passed) => {
    const { code, text } = await outcome(args, environment);
    expect(code, text).toBe(0);
    expect(text).toMatch(passed);
  });

  test("of sinon stop Node by default, which runUntil reports", async () => {
    const args = ["node_modules/mocha/bin/mocha.js", "timers.mocha.cjs", "--fgrep=manual clock"];
    const { code, text } = await outcome(args);
    expect(code, text).toBe(1);
    expect(text).toMatch(/process\.nextTick or queueMicrotask is fake.* toFake: \["Date"/s);
  });

  test("of sinon that begin before the mock is loaded are an error", async () => {
    const { text } = await outcome(["--require=./early.cjs", "cases.cjs"]);
    expect(text).toMatch(/The timers were fake when @tryon\/mock was loaded/);
  });
});

test("jest loads what a request needs only sometimes", async () => {
  const { code, text } = await outcome([jest, "--testMatch=**/modules.jest.cjs"]);
  expect(code, text).toBe(0);
  expect(text).toMatch(/3 passed/);
});
