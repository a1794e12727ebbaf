import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createMock } from "../mock.ts";
import { baseUrl, behindMsw, receiver } from "../../test/behind-msw.ts";
import { handlers } from "./handlers.ts";

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
    const server = setupServer(...handlers(mock));
    server.listen();
    onTestFinished(() => server.close());
    const response = await fetch("https://own.example/api/discovery");
    expect(response.headers.get("x-mock")).toMatch(/^tryon-mock\//);
  });

  test("return errors, empty responses and their headers", async () => {
    const { headers, submit } = behindMsw();
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
    const network = await receiver();
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

  test("respond under fake timers", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { submit } = behindMsw({ clock: "real", latency: 20 });
    expect(await (await submit({ wait: true })).json()).toMatchObject({ status: "succeeded" });
  });
});
