import { http, HttpResponse } from "msw";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { baseUrl, behindMsw, listening } from "../../test/behind-msw.ts";
import { tryOn } from "../../test/caller.ts";
import { loopback } from "../../test/loopback.ts";
import { signatureOf } from "../../test/receiver.ts";
import { headers } from "../../test/with-faults.ts";
import { createMock } from "../mock.ts";
import { handlers, requestMatcher } from "./handlers.ts";

describe("msw handlers", () => {
  test.each([
    ["same", baseUrl, baseUrl],
    ["other", baseUrl, "https://results.api.tryon.example"],
    ["same", "https://shop.example/tryon", "https://shop.example"],
    ["other", "http://localhost:4010", "http://127.0.0.1:4010"],
  ] as const)(
    "complete a try-on: results on the %s origin, base URL %s",
    async (resultsOrigin, base, origin) => {
      const { mock, submitted, poll } = behindMsw({ options: { resultsOrigin } }, base);
      const jobId = await submitted();
      await mock.clock.advance("2s");
      const job = await poll(jobId);
      expect(job.status).toBe("succeeded");
      expect(new URL(job.result_url).origin).toBe(origin);
      const image = await fetch(job.result_url);
      expect(image.headers.get("content-type")).toBe("image/png");
      expect((await image.arrayBuffer()).byteLength).toBe(job.result_bytes);
    },
  );

  test("use the mock's base URL by default", async () => {
    const mock = createMock({ clock: "manual", baseUrl: "https://own.example" });
    listening(...handlers(mock));
    const response = await fetch("https://own.example/api/discovery");
    expect(response.headers.get("x-mock")).toMatch(/^tryon-mock\//);
  });

  test("return errors, empty responses and their headers", async () => {
    const { submit } = behindMsw();
    const invalid = await submit({ person_url: 5 });
    expect(invalid.status).toBe(422);
    const unknown = await fetch(`${baseUrl}/api/v1/tryon`, {
      headers: { authorization: "Bearer x" },
    });
    expect([unknown.status, unknown.headers.get("x-mock")]).toEqual([
      401,
      expect.stringMatching(/^tryon-mock\//),
    ]);
    const preflight = await fetch(`${baseUrl}/api/v1/account`, {
      method: "OPTIONS",
      headers: { origin: "http://localhost:5173", "access-control-request-method": "GET" },
    });
    expect(preflight.status).toBe(204);
    const head = await fetch(`${baseUrl}/api/v1/account`, { method: "HEAD", headers });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("leave other hosts to the network and to other handlers", async () => {
    const network = await loopback();
    const elsewhere = "https://elsewhere.example/api/v1/account";
    behindMsw({}, `${network.url}/v1`, [http.get(elsewhere, () => HttpResponse.text("another"))]);
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

  test("keep the state of the server when msw resets its handlers", async () => {
    const mock = createMock({ clock: "manual" });
    const server = listening(...handlers(mock, { baseUrl }));
    const call = { headers: { authorization: `Bearer ${mock.keys.limited}` } };
    await fetch(`${baseUrl}/api/v1/account`, call);
    server.resetHandlers();
    server.close();
    server.listen();
    const last = await fetch(`${baseUrl}/api/v1/account`, call);
    expect(last.headers.get("x-ratelimit-remaining")).toBe("3");
  });
});

test("an unknown option of handlers is rejected with the likely one", () => {
  const given: object = { baseURL: "" };
  expect(() => handlers(createMock(), given)).toThrow("Did you mean baseUrl?");
});

describe("an aborted request through msw", () => {
  test("rejects, and its job goes on without console output", async () => {
    const errors = vi.spyOn(console, "error");
    onTestFinished(() => errors.mockRestore());
    const { mock, submit, get, reached } = behindMsw();
    const abort = new AbortController();
    const response = submit({ wait: true }, {}, { signal: abort.signal }).catch(
      (reason: unknown) => reason,
    );
    await reached;
    abort.abort(new Error("enough"));
    expect(await response).toMatchObject({ message: "enough" });
    await mock.clock.advance("2s");
    const list = await get("/api/v1/tryon");
    expect(await list.json()).toMatchObject({ jobs: [{ status: "succeeded" }] });
    expect(errors).not.toHaveBeenCalled();
  });

  test("rejects while the body of its response is incomplete", async () => {
    const mock = createMock({ clock: "manual" });
    const begun = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          controller.enqueue(new Uint8Array(9));
          begun.resolve(controller);
          return new Promise(() => undefined);
        },
      },
      { highWaterMark: 0 },
    );
    const slow = { ...mock, fetch: () => Promise.resolve(new Response(body)) };
    listening(...handlers(slow, { baseUrl }));
    const abort = new AbortController();
    const response = fetch(`${baseUrl}/results/j.png`, { signal: abort.signal });
    const outcome = response.catch((reason: unknown) => reason);
    const controller = await begun.promise;
    abort.abort(new Error("enough"));
    expect(await outcome).toMatchObject({ message: "enough" });
    controller.close();
  });

  test("may be reading an image", async () => {
    const { mock, submitted, poll } = behindMsw();
    const jobId = await submitted();
    await mock.clock.advance("2s");
    const { result_url } = await poll(jobId);
    const abort = new AbortController();
    const image = await fetch(result_url, { signal: abort.signal });
    abort.abort();
    await image.arrayBuffer().catch((reason: unknown) => reason);
    expect((await fetch(result_url)).status).toBe(200);
  });

  test("rejects like a network error when the server is closed", async () => {
    const { mock } = behindMsw();
    mock.close();
    await expect(fetch(`${baseUrl}/api/discovery`)).rejects.toThrow(TypeError);
  });
});

describe("a webhook of a server behind msw", () => {
  test("bypasses msw, signed and unchanged", async () => {
    const network = await loopback();
    const intercept = http.all("*", () => HttpResponse.text("intercepted"));
    const { mock, submitted } = behindMsw({}, baseUrl, [intercept]);
    const jobId = await submitted({ webhook_url: `${network.url}/hook` });
    await mock.clock.advance("2s");
    const { headers: sent, body, path } = await network.first;
    expect(path).toBe("/hook");
    expect(JSON.parse(body)).toMatchObject({ job_id: jobId, status: "succeeded" });
    expect(sent["x-service-signature"]).toBe(signatureOf(body, mock.webhookSecret));
    expect(sent.accept ?? "").not.toContain("msw");
    expect(await mock.webhooks.deliveries(jobId)).toMatchObject([
      { state: "delivered", attempts: [{ status: 200 }] },
    ]);
  });

  test("bypasses msw even if msw started before the server was imported", async () => {
    const network = await loopback();
    const outer = listening(http.all("*", () => HttpResponse.text("intercepted")));
    // As in CommonJS, the server and the handlers each have a copy of what they share.
    vi.resetModules();
    const { createMock: createLate } = await import("../mock.ts");
    vi.resetModules();
    const { handlers: lateHandlers } = await import("./handlers.ts");
    const mock = createLate({ clock: "manual" });
    outer.use(...lateHandlers(mock, { baseUrl }));
    const body = JSON.stringify(tryOn({ webhook_url: `${network.url}/hook` }));
    await fetch(`${baseUrl}/api/v1/tryon`, { method: "POST", headers, body });
    await mock.clock.advance("2s");
    expect((await network.first).path).toBe("/hook");
  });

  test("can reach a handler if its sender is the global fetch", async () => {
    const hook = http.post(
      "https://shop.example/hook",
      () => new HttpResponse(null, { status: 418 }),
    );
    const { mock, submitted } = behindMsw({ sendWebhook: (request) => fetch(request) }, baseUrl, [
      hook,
    ]);
    const jobId = await submitted({ webhook_url: "https://shop.example/hook" });
    await mock.clock.advance("2s");
    const [delivery] = await mock.webhooks.deliveries(jobId);
    expect(delivery?.attempts[0]?.status).toBe(418);
  });
});

const images = "results/j.png?expires=1";

test.each([
  ["https://a.example", "https://a.example/", "https://a.example/"],
  ["https://a.example/", "https://a.example/api/v1?limit=1", "https://a.example/api/v1?limit=1"],
  ["https://A.example:443", "https://a.example/x", "https://a.example/x"],
  ["https://a.example/v1", "https://a.example/v1", "https://a.example/"],
  ["https://a.example/v1/", "https://a.example/v1/api/", "https://a.example/api/"],
  ["https://a.example/v1", `https://a.example/${images}`, `https://a.example/${images}`],
  ["https://a.example", "http://a.example/", undefined],
  ["https://a.example", "https://a.example:8443/", undefined],
  ["https://a.example", "https://a.example.evil/", undefined],
  ["https://a.example", `https://results.a.example/${images}`, undefined],
  ["https://a.example/v1", "https://a.example/v10", undefined],
  ["https://a.example/v1", "https://a.example/", undefined],
  ["https://a.example/v1", "https://a.example/resultsets/j.png", undefined],
])("requestMatcher under %s maps %s to %s", (base, url, expected) => {
  expect(requestMatcher(base, "same")(url)).toBe(expected);
});

test.each([
  ["https://a.example", "https://results.a.example/"],
  ["http://localhost:80", "http://127.0.0.1/"],
  ["http://127.0.0.1:4010", "http://localhost:4010/"],
])("requestMatcher under %s, with results at %s, matches images alone there", (base, other) => {
  const match = requestMatcher(base, "other");
  expect(match(other + images)).toBe(other + images);
  expect(match(other)).toBeUndefined();
});

test.each(["", "/tryon", "a.example", "ftp://a.example"])("a base URL is absolute: %j", (base) => {
  expect(() => requestMatcher(base, "same")).toThrow(/absolute http or https URL.*location\.href/);
});
