import { createHmac } from "node:crypto";

import { http, HttpResponse, type RequestHandler } from "msw";
import { setupServer } from "msw/node";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createMock, type MockOptions } from "../mock.ts";
import { tryOn } from "../testing/caller.ts";
import { loopback } from "../testing/loopback.ts";
import { handlers } from "./handlers.ts";

const baseUrl = "https://api.tryon.example";

function setUp(options: MockOptions = {}, base = baseUrl, others: readonly RequestHandler[] = []) {
  const mock = createMock({ clock: "manual", seed: "msw", ...options });
  let note: (() => void) | undefined;
  const reached = new Promise<void>((resolve) => (note = resolve));
  const noting: typeof mock.fetch = (resource, init) => {
    note?.();
    return mock.fetch(resource, init);
  };
  const server = setupServer(...handlers({ ...mock, fetch: noting }, { baseUrl: base }), ...others);
  server.listen({ onUnhandledFrame: "bypass" });
  onTestFinished(() => {
    server.close();
    mock.close();
  });
  const headers = { authorization: `Bearer ${mock.keys.live}`, "content-type": "application/json" };
  const submit = (fields: Record<string, unknown> = {}, init: RequestInit = {}) =>
    fetch(`${base}/api/v1/tryon`, {
      method: "POST",
      headers,
      body: JSON.stringify(tryOn(fields)),
      ...init,
    });
  const poll = async (jobId: string) => {
    const response = await fetch(`${base}/api/v1/tryon/${jobId}`, { headers });
    // The contract's answer to a poll has these.
    return (await response.json()) as { status: string; result_url: string; result_bytes: number };
  };
  const submitted = async (fields: Record<string, unknown> = {}) => {
    // The contract's answer to a submission has a job_id.
    const { job_id } = (await (await submit(fields)).json()) as { job_id: string };
    return job_id;
  };
  return { mock, headers, submit, submitted, poll, reached };
}

async function receiver() {
  const server = await loopback();
  onTestFinished(() => server.close());
  return server;
}

describe("msw with the handlers of a server", () => {
  test.each([
    ["same", baseUrl, baseUrl],
    ["other", baseUrl, "https://results.api.tryon.example"],
    ["same", "https://shop.example/tryon", "https://shop.example"],
    ["other", "http://localhost:4010", "http://127.0.0.1:4010"],
  ] as const)(
    "does a whole try-on: results on the %s origin as %s",
    async (resultsOrigin, base, origin) => {
      const { mock, submitted, poll } = setUp({ options: { resultsOrigin } }, base);
      const jobId = await submitted();
      await mock.clock.advance("2s");
      const job = await poll(jobId);
      expect(job.status).toBe("succeeded");
      expect(new URL(job.result_url).origin).toBe(origin);
      const picture = await fetch(job.result_url);
      expect(picture.headers.get("content-type")).toBe("image/png");
      expect((await picture.arrayBuffer()).byteLength).toBe(job.result_bytes);
    },
  );

  test("stands at the mock's own address unless told otherwise", async () => {
    const mock = createMock({ clock: "manual", baseUrl: "https://own.example" });
    const server = setupServer(...handlers(mock));
    server.listen();
    onTestFinished(() => server.close());
    const response = await fetch("https://own.example/api/discovery");
    expect(response.headers.get("x-mock")).toMatch(/^tryon-mock\//);
  });

  test("hands errors, empty answers and their headers on", async () => {
    const { headers, submit } = setUp();
    const refused = await submit({ person_url: 5 });
    expect(refused.status).toBe(422);
    const unknown = await fetch(`${baseUrl}/api/v1/tryon`, {
      headers: { authorization: "Bearer x" },
    });
    expect([unknown.status, unknown.headers.get("x-mock")]).toEqual([
      401,
      expect.stringMatching(/^tryon-mock\//),
    ]);
    const preflight = await fetch(`${baseUrl}/api/v1/account`, {
      method: "OPTIONS",
      headers: { origin: "https://shop.example", "access-control-request-method": "GET" },
    });
    expect(preflight.status).toBe(204);
    const head = await fetch(`${baseUrl}/api/v1/account`, { method: "HEAD", headers });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("leaves other hosts to the network and to other handlers", async () => {
    const network = await receiver();
    const elsewhere = "https://elsewhere.example/api/v1/account";
    setUp({}, `${network.url}/v1`, [http.get(elsewhere, () => HttpResponse.text("another"))]);
    expect(await (await fetch(elsewhere)).text()).toBe("another");
    for (const path of ["/", "/v10/api/discovery", "/api/discovery"]) {
      expect(await (await fetch(`${network.url}${path}`)).text()).toBe("over the network");
    }
    expect((await fetch(`${network.url}/v1/api/discovery`)).headers.get("x-mock")).not.toBeNull();
    expect(network.arrived.map(({ path }) => path)).toEqual([
      "/",
      "/v10/api/discovery",
      "/api/discovery",
    ]);
  });

  test("goes on with the same server when msw drops its handlers and takes them up again", async () => {
    const mock = createMock({ clock: "manual" });
    const server = setupServer(...handlers(mock, { baseUrl }));
    server.listen();
    onTestFinished(() => server.close());
    const call = { headers: { authorization: `Bearer ${mock.keys.limited}` } };
    await fetch(`${baseUrl}/api/v1/account`, call);
    server.resetHandlers();
    server.close();
    server.listen();
    const { headers } = await fetch(`${baseUrl}/api/v1/account`, call);
    expect(headers.get("x-ratelimit-remaining")).toBe("3");
  });

  test("does not stand still under fake timers", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { submit } = setUp({ clock: "real", latency: 20 });
    expect(await (await submit({ wait: true })).json()).toMatchObject({ status: "succeeded" });
  });
});

describe("a webhook of a server behind msw", () => {
  test("goes past the interception, signed and with nothing added", async () => {
    const network = await receiver();
    const swallow = http.all("*", () => HttpResponse.text("swallowed"));
    const { mock, submitted } = setUp({}, baseUrl, [swallow]);
    const jobId = await submitted({ webhook_url: `${network.url}/hook` });
    await mock.clock.advance("2s");
    const { headers, body, path } = await network.first;
    expect(path).toBe("/hook");
    expect(JSON.parse(body)).toMatchObject({ job_id: jobId, status: "succeeded" });
    const signature = createHmac("sha256", mock.webhookSecret).update(body).digest("hex");
    expect(headers["x-service-signature"]).toBe(`sha256=${signature}`);
    expect(headers.accept ?? "").not.toContain("msw");
    expect(await mock.webhooks.deliveries(jobId)).toMatchObject([
      { state: "delivered", attempts: [{ status: 200 }] },
    ]);
  });

  test("goes past it even when msw was there before the server's code", async () => {
    const network = await receiver();
    const outer = setupServer(http.all("*", () => HttpResponse.text("swallowed")));
    outer.listen();
    onTestFinished(() => outer.close());
    // As in CommonJS, the server and the handlers each have a copy of what they share.
    vi.resetModules();
    const { createMock: createLate } = await import("../mock.ts");
    vi.resetModules();
    const { handlers: lateHandlers } = await import("./handlers.ts");
    const mock = createLate({ clock: "manual" });
    outer.use(...lateHandlers(mock, { baseUrl }));
    await fetch(`${baseUrl}/api/v1/tryon`, {
      method: "POST",
      headers: { authorization: `Bearer ${mock.keys.test}`, "content-type": "application/json" },
      body: JSON.stringify(tryOn({ webhook_url: `${network.url}/hook` })),
    });
    await mock.clock.advance("2s");
    expect((await network.first).path).toBe("/hook");
  });

  test("can be answered by a handler when its sender is the global fetch", async () => {
    const hook = http.post(
      "https://shop.example/hook",
      () => new HttpResponse(null, { status: 418 }),
    );
    const { mock, submitted } = setUp({ sendWebhook: (request) => fetch(request) }, baseUrl, [
      hook,
    ]);
    const jobId = await submitted({ webhook_url: "https://shop.example/hook" });
    await mock.clock.advance("2s");
    const [delivery] = await mock.webhooks.deliveries(jobId);
    expect(delivery?.attempts[0]?.status).toBe(418);
  });
});

describe("a call through msw that does not come to its end", () => {
  test("rejects for a caller who leaves, and its job goes on without a word", async () => {
    const said = vi.spyOn(console, "error");
    onTestFinished(() => said.mockRestore());
    const { mock, submit, headers, reached } = setUp();
    const abort = new AbortController();
    const held = submit({ wait: true }, { signal: abort.signal }).catch(
      (reason: unknown) => reason,
    );
    await reached;
    abort.abort(new Error("enough"));
    expect(await held).toMatchObject({ message: "enough" });
    await mock.clock.advance("2s");
    const list = await fetch(`${baseUrl}/api/v1/tryon`, { headers });
    expect(await list.json()).toMatchObject({ jobs: [{ status: "succeeded" }] });
    expect(said).not.toHaveBeenCalled();
  });

  test("may be left while the body of its answer is being made", async () => {
    const mock = createMock({ clock: "manual" });
    let begin: ((body: ReadableStreamDefaultController<Uint8Array>) => void) | undefined;
    const begun = new Promise<ReadableStreamDefaultController<Uint8Array>>((resolve) => {
      begin = resolve;
    });
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          controller.enqueue(new Uint8Array(9));
          begin?.(controller);
          return new Promise(() => undefined);
        },
      },
      { highWaterMark: 0 },
    );
    const slow = { ...mock, fetch: () => Promise.resolve(new Response(body)) };
    const server = setupServer(...handlers(slow, { baseUrl }));
    server.listen();
    onTestFinished(() => server.close());
    const abort = new AbortController();
    const answer = fetch(`${baseUrl}/results/j.png`, { signal: abort.signal });
    const outcome = answer.catch((reason: unknown) => reason);
    const controller = await begun;
    abort.abort(new Error("enough"));
    expect(await outcome).toMatchObject({ message: "enough" });
    controller.close();
  });

  test("may be left while the picture is read", async () => {
    const { mock, submitted, poll } = setUp();
    const jobId = await submitted();
    await mock.clock.advance("2s");
    const { result_url } = await poll(jobId);
    const abort = new AbortController();
    const picture = await fetch(result_url, { signal: abort.signal });
    abort.abort();
    await picture.arrayBuffer().catch((reason: unknown) => reason);
    expect((await fetch(result_url)).status).toBe(200);
  });

  test("fails as a network fails when the server is closed", async () => {
    const { mock } = setUp();
    mock.close();
    await expect(fetch(`${baseUrl}/api/discovery`)).rejects.toThrow(TypeError);
  });
});
