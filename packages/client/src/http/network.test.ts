import { openAsBlob } from "node:fs";
import { createServer } from "node:net";

import { createMock, type FaultInput } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { assetPath } from "@tryon/test-kit/repository";
import { expect, it, onTestFinished } from "vitest";

import { TryOn, type TryOnOptions } from "../index.ts";
import { accountBody, closedUrl, httpServer, listen } from "../../test/http-server.ts";
import {
  assetBytes,
  failure,
  input,
  profile,
  smallPng,
  transport,
  usesNode,
} from "../../test/service.ts";
import { createRawClient } from "../raw/index.ts";

/** Creates a client with delays near zero. */
function client(baseUrl: string, options: TryOnOptions = {}): TryOn {
  const system = { transport, random: () => 0.001 };
  return new TryOn({ apiKey: "svc_test_1", baseUrl, ...system, ...options });
}

/** Serves the reference server over HTTP. */
async function serveMock() {
  const mock = createMock({ profile, latency: 0 });
  const server = await serve(mock, { port: 0 });
  onTestFinished(() => server.close());
  const tryon = client(`${server.url}/`, { apiKey: mock.keys.live });
  const keys = () =>
    mock.journal
      .entries({ method: "POST", path: "/api/v1/tryon" })
      .map(({ idempotencyKey }) => idempotencyKey);
  const balance = async () => (await mock.ledger(mock.keys.live))?.balance;
  /** Adds a fault of the next submissions. */
  const fail = (times: number, fault: Partial<FaultInput>) =>
    mock.faults.add({ on: "POST /api/v1/tryon", times, ...fault });
  return { mock, url: server.url, tryon, keys, balance, fail };
}

it("makes a try-on from a file, downloads its image, and polls a job of a test key", async () => {
  const { mock, url, tryon } = await serveMock();
  const person = await openAsBlob(assetPath("person.jpg"));
  const { image, receipt } = await tryon.run({ person, garments: [person] });
  expect(receipt.attempts).toHaveLength(1);
  expect([...(await image.bytes()).subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);
  expect((await tryon.account.get()).credits_remaining).toBe(992);
  const job = await client(url, { apiKey: mock.keys.test }).submit(input);
  expect((await job.result()).receipt.credits).toBe(0);
});

it.each<[string, Partial<FaultInput>]>([
  ["is reset before the work", { reset: "before" }],
  ["is reset after the work", { reset: "after" }],
  ["ends within the response", { truncateAt: 10 }],
  ["receives the error page of a gateway", { status: 502 }],
  ["receives an error of the service", { status: 500 }],
])("charges once for a try-on whose connection twice %s", async (_name, fault) => {
  const { tryon, keys, balance, fail } = await serveMock();
  fail(2, fault);
  const shirt = assetBytes("shirt.png");
  const result = await tryon.run({ ...input, garments: [shirt] }, { idempotencyKey: "order-17" });
  expect(result.receipt.attempts).toHaveLength(3);
  expect(keys()).toEqual(["order-17", "order-17", "order-17"]);
  expect(await balance()).toBe(992);
});

it.each([301, 302, 307, 308])("does not follow a %i, and names its target", async (status) => {
  const target = await httpServer((response) => response.end(accountBody));
  const { url, got } = await httpServer((response) => {
    response.writeHead(status, { location: `${target.url}/api/v1/tryon/` }).end();
  });
  const upload = { person: assetBytes("person.jpg"), garments: [assetBytes("shirt.png")] } as const;
  for (const call of [
    () => client(url).account.get(),
    () => client(url).submit(upload),
    () => createRawClient(client(url)).GET("/api/v1/account"),
  ]) {
    const error = await failure(call());
    expect(error).toMatchObject({ code: "redirected", status });
    expect(String(error)).toContain(target.url);
  }
  // After the submission, a free request finds out if the service is at this URL.
  expect(got.map(({ method }) => method)).toEqual(["GET", "POST", "GET", "GET"]);
  expect(target.got).toEqual([]);
});

it("follows a redirect of the image store to another port, without the key", async () => {
  const store = await httpServer((response) => response.end(smallPng));
  const { url, got } = await httpServer((response, request) => {
    if (request.url?.startsWith("/api")) {
      const job = { job_id: "job_1", status: "succeeded", result_url: `${url}/a.png` };
      response.end(JSON.stringify(job));
    } else {
      response.writeHead(307, { location: `${store.url}/b.png` }).end();
    }
  });
  const { image } = await client(url).jobs.resume("job_1").result();
  expect(await image.bytes()).toEqual(smallPng);
  expect([...got.slice(1), ...store.got].map(({ headers }) => headers.authorization)).toEqual([
    undefined,
    undefined,
  ]);
});

it("sends the length of any body, also of a DELETE", async () => {
  const { url, got } = await httpServer((response) => response.end(accountBody));
  // The contract has no such method.
  const remove = createRawClient(client(url)).DELETE as ReturnType<typeof createRawClient>["POST"];
  const body = { pack_slug: "starter", shared_payment_granted_token: "spt_1" } as const;
  for (let count = 0; count < 2; count += 1) await remove("/api/v1/credits/purchase", { body });
  expect(got.map((request) => JSON.parse(request.body) as unknown)).toEqual([body, body]);
});

it("reports a redirect that a browser hides", async () => {
  const opaque = Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" });
  const tryon = client("https://tryon.example", { fetch: async () => opaque });
  expect(await failure(tryon.account.get())).toMatchObject({ code: "redirected" });
  // The account is redirected, too: the service is not at this URL.
  expect(await failure(tryon.submit(input))).toMatchObject({ code: "redirected" });
});

it("retries a read whose response breaks off", async () => {
  const { url, got } = await httpServer((response, _request, count) => {
    response.writeHead(200, { "content-length": accountBody.length });
    if (count > 1) response.end(accountBody);
    else response.write(accountBody.slice(0, 20), () => response.destroy());
  });
  expect((await client(url).account.get()).credits_remaining).toBe(5);
  expect(got).toHaveLength(2);
});

it("reports a refused connection with host, port, code and the variable to check", async () => {
  const url = await closedUrl();
  const error = await failure(client(url).submit(input));
  const message = expect.stringMatching(usesNode ? "ECONNREFUSED" : "fetch failed");
  const cause = { message, code: "ECONNREFUSED" };
  expect(error).toMatchObject({ code: "connection_failed", attempts: { length: 4 }, cause });
  expect(String(error)).toContain(`got no response from ${url} (ECONNREFUSED).`);
  expect(String(error)).toContain("TRYON_BASE_URL");
});

it("retries on a connection that the server has just closed", async () => {
  let requests = 0;
  const response = `HTTP/1.1 200 OK\r\ncontent-length: ${accountBody.length}\r\n\r\n${accountBody}`;
  const server = createServer((socket) => {
    let isFirst = true;
    socket
      .on("error", () => undefined)
      .on("data", () => {
        requests += 1;
        if (isFirst) socket.write(response);
        else socket.destroy();
        isFirst = false;
      });
  });
  const tryon = client(await listen(server));
  for (let count = 0; count < 4; count += 1) {
    expect((await tryon.account.get()).credits_remaining).toBe(5);
  }
  expect(requests).toBeGreaterThan(4);
});

it.each<[string, object, object]>([
  ["Bun", {}, { keepalive: false }],
  [
    "Deno",
    { createHttpClient: (options: object) => options },
    { client: { poolMaxIdlePerHost: 0 } },
  ],
])("opens a new connection for a retry over fetch in %s", async (name, runtime, expected) => {
  Reflect.set(globalThis, name, runtime);
  onTestFinished(() => void Reflect.deleteProperty(globalThis, name));
  const sent: RequestInit[] = [];
  const tryon = client("https://tryon.example", {
    fetch: async (_url, init) => {
      if (sent.push(init) === 1) throw new Error("reset");
      return new Response(accountBody);
    },
  });
  await tryon.account.get();
  expect(sent).toEqual([expect.not.objectContaining(expected), expect.objectContaining(expected)]);
});

it("ends in outcome_unknown after an error whose causes form a ring", async () => {
  const one = new Error("socket closed");
  one.cause = new Error("retry failed", { cause: one });
  const tryon = client("https://tryon.example", { fetch: () => Promise.reject(one), retries: 0 });
  expect(await failure(tryon.submit(input))).toMatchObject({
    code: "outcome_unknown",
    recover: expect.any(Function),
  });
});

it("says that nothing was sent if the runtime has no fetch", async () => {
  const { fetch } = globalThis;
  Reflect.set(globalThis, "fetch", undefined);
  onTestFinished(() => void Reflect.set(globalThis, "fetch", fetch));
  const tryon = client("https://tryon.example", { transport: "fetch" });
  const failed = await failure(tryon.submit(input));
  expect(failed).toMatchObject({ code: "invalid_config" });
  expect(String(failed)).toMatch(/nothing was sent/);
});
