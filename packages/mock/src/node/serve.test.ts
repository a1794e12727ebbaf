import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createHmac } from "node:crypto";

import { describe, expect, onTestFinished, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller, tryOn } from "../../test/caller.ts";
import { serve } from "./serve.ts";

async function setUp(options: Parameters<typeof createMock>[0] = {}) {
  const mock = createMock({ clock: "manual", seed: "serve", ...options });
  const server = await serve(mock);
  onTestFinished(() => server.close());
  const headers = {
    authorization: `Bearer ${mock.keys.live}`,
    "content-type": "application/json",
  };
  const post = (fields: Record<string, unknown>, init: RequestInit = {}) =>
    fetch(`${server.url}/api/v1/tryon`, {
      method: "POST",
      headers,
      body: JSON.stringify(tryOn(fields)),
      ...init,
    });
  return { mock, server, headers, post };
}

interface Hook {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver of webhooks on this machine. */
async function listen(): Promise<{ url: string; received: Hook[] }> {
  const received: Hook[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts) });
      if (request.url === "/moved") response.writeHead(302, { location: "/hook" });
      else response.writeHead(received.length < 2 ? 503 : 200);
      response.end("noted");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this form.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

describe("a served mock", () => {
  test("does a whole try-on over HTTP, on a free port", async () => {
    const { mock, server, headers, post } = await setUp();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.port).toBeGreaterThan(0);
    const submitted = await post({ metadata: { name: "Zoë 👗" } });
    expect(submitted.headers.get("x-mock")).toMatch(/^tryon-mock\//);
    expect(submitted.headers.get("date")).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
    // The contract's answer to a submission has a job_id.
    const { job_id } = (await submitted.json()) as { job_id: string };
    await mock.clock.advance("2s");
    const polled = await fetch(`${server.url}/api/v1/tryon/${job_id}`, { headers });
    const job = (await polled.json()) as { result_url: string; result_bytes: number };
    expect(job).toMatchObject({ status: "succeeded", metadata: { name: "Zoë 👗" } });
    expect(job.result_url.startsWith(server.url)).toBe(true);
    const image = await fetch(job.result_url);
    expect((await image.arrayBuffer()).byteLength).toBe(job.result_bytes);
  });

  test("takes another free port each time, and says which", async () => {
    const all = await Promise.all([1, 2, 3].map(() => setUp()));
    expect(new Set(all.map(({ server }) => server.port)).size).toBe(3);
    for (const { mock, server: own } of all) {
      const { token } = await mock.createKey({ token: `svc_live_${own.port}` });
      const statuses = all.map(async ({ server }) => {
        const headers = { authorization: `Bearer ${token}` };
        const { status } = await fetch(`${server.url}/api/v1/account`, { headers });
        return [status, server === own];
      });
      for (const [status, isOwn] of await Promise.all(statuses)) {
        expect(status).toBe(isOwn ? 200 : 401);
      }
    }
  });

  test("answers errors, preflights and unread bodies on one connection", async () => {
    const { server, headers } = await setUp();
    const address = `${server.url}/api/v1/tryon`;
    const statuses = [];
    for (const init of [
      { method: "POST", headers, body: "{" },
      { method: "POST", body: "x".repeat(500_000) },
      { method: "OPTIONS", headers: { "access-control-request-method": "POST" } },
      { method: "PUT", body: "x" },
      { headers },
    ]) {
      const response = await fetch(address, init);
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    expect(statuses).toEqual([422, 401, 204, 405, 200]);
  });

  test("goes on with a job whose caller has gone", async () => {
    const { mock, headers, post } = await setUp();
    const abort = new AbortController();
    const held = post({ wait: true }, { signal: abort.signal });
    const call = caller(mock);
    await expect.poll(async () => (await call.list()).body.jobs.length, { interval: 2 }).toBe(1);
    abort.abort(new Error("gone"));
    await expect(held).rejects.toThrow("gone");
    await mock.clock.advance("2s");
    expect((await call.list()).body.jobs).toMatchObject([{ status: "succeeded" }]);
    expect(headers.authorization).toContain(mock.keys.live);
  });

  test("sends webhooks over HTTP, and again when they were not taken", async () => {
    const { mock, post } = await setUp();
    const hooks = await listen();
    await post({ webhook_url: `${hooks.url}/hook` });
    await mock.clock.advance("1500ms");
    await expect.poll(() => hooks.received.length, { interval: 2 }).toBe(1);
    await mock.clock.advance("1s");
    expect(hooks.received).toHaveLength(2);
    for (const { headers, body } of hooks.received) {
      const digest = createHmac("sha256", mock.webhookSecret).update(body).digest("hex");
      expect(headers["x-service-signature"]).toBe(`sha256=${digest}`);
      expect(headers["x-service-event"]).toBe("tryon.completed");
      expect(headers["content-type"]).toBe("application/json");
    }
    const [delivery] = await mock.webhooks.deliveries();
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([503, 200]);
  });

  test("does not follow a receiver that redirects", async () => {
    const { mock, post } = await setUp();
    const hooks = await listen();
    await post({ webhook_url: `${hooks.url}/moved` });
    await mock.clock.advance("1h");
    expect(hooks.received).toHaveLength(4);
    const [delivery] = await mock.webhooks.deliveries();
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([302, 302, 302, 302]);
  });

  test("notes a receiver that is not there", async () => {
    const { mock, post } = await setUp();
    const hooks = await listen();
    await post({ webhook_url: hooks.url.replace(/\d+$/, "1") });
    await mock.clock.advance("1h");
    const [delivery] = await mock.webhooks.deliveries();
    expect(delivery).toMatchObject({ state: "given-up" });
    expect(delivery?.attempts).toHaveLength(4);
    expect(delivery?.attempts[0]).toMatchObject({ status: null, error: expect.any(String) });
  });
});

describe("closing a server", () => {
  test("takes no more connections, and leaves the mock usable", async () => {
    const { mock, server } = await setUp();
    await (await fetch(server.url)).arrayBuffer();
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow("fetch failed");
    expect((await caller(mock).account()).status).toBe(200);
  });

  test("gives its port back", async () => {
    const { mock, server } = await setUp();
    await server.close();
    const next = await serve(mock, { port: server.port });
    expect((await fetch(next.url)).status).toBe(200);
    await next.close();
  });

  test("ends calls under way, and can be asked for twice", async () => {
    const { server, post } = await setUp();
    const held = post({ wait: true, prompt: "mock:never" });
    const failed = held.catch((reason: unknown) => String(reason));
    await (await fetch(server.url)).arrayBuffer();
    await Promise.all([server.close(), server.close()]);
    expect(await failed).toContain("fetch failed");
  });
});

describe("a port that cannot be had", () => {
  test("is told with the way out", async () => {
    const { mock, server } = await setUp();
    await expect(serve(mock, { port: server.port })).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${server.port}: port ${server.port} is taken; choose another, or 0`,
    );
  });

  test("at an address that this machine does not have is told too", async () => {
    const { mock } = await setUp();
    await expect(serve(mock, { host: "192.0.2.1" })).rejects.toThrow("has no address 192.0.2.1");
  });

  test.each([-1, 65_536, 1.5])("for being no port is told too: %d", async (port) => {
    const { mock } = await setUp();
    await expect(serve(mock, { port })).rejects.toThrow(/port/i);
  });
});
