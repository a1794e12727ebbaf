import { describe, expect, test } from "vitest";

import { caller } from "../../test/caller.ts";
import { loopback } from "../../test/loopback.ts";
import { served } from "../../test/served.ts";
import { serve } from "./serve.ts";

describe("a served mock", () => {
  test("completes a try-on over HTTP, on a free port", async () => {
    const { mock, server, submit, poll } = await served();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.port).toBeGreaterThan(0);
    const submitted = await submit({ metadata: { name: "Zoë 👗" } });
    expect(submitted.headers.get("x-mock")).toMatch(/^tryon-mock\//);
    expect(submitted.headers.get("date")).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
    // The contract's response to a submission has a job_id.
    const { job_id } = (await submitted.json()) as { job_id: string };
    await mock.clock.advance("2s");
    const job = await poll(job_id);
    expect(job).toMatchObject({ status: "succeeded", metadata: { name: "Zoë 👗" } });
    expect(job.result_url.startsWith(server.url)).toBe(true);
    const image = await fetch(job.result_url);
    expect((await image.arrayBuffer()).byteLength).toBe(job.result_bytes);
  });

  test("takes a different free port each time", async () => {
    const all = await Promise.all([1, 2, 3].map(() => served()));
    expect(new Set(all.map(({ server }) => server.port)).size).toBe(3);
    for (const { mock, server: own } of all) {
      const { token } = await mock.createKey({ token: `svc_live_${own.port}` });
      const headers = { authorization: `Bearer ${token}` };
      for (const { server } of all) {
        const { status } = await fetch(`${server.url}/api/v1/account`, { headers });
        expect(status).toBe(server === own ? 200 : 401);
      }
    }
  });

  test("responds to errors, preflights and unread bodies on one connection", async () => {
    const { server, headers } = await served();
    const statuses = [];
    for (const init of [
      { method: "POST", headers, body: "{" },
      { method: "POST", body: "x".repeat(500_000) },
      { method: "OPTIONS", headers: { "access-control-request-method": "POST" } },
      { method: "PUT", body: "x" },
      { headers },
    ]) {
      const response = await fetch(`${server.url}/api/v1/tryon`, init);
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    expect(statuses).toEqual([422, 401, 204, 405, 200]);
  });

  test("continues a job whose caller has disconnected", async () => {
    const { mock, submit } = await served();
    const abort = new AbortController();
    const response = submit({ wait: true }, {}, { signal: abort.signal });
    const call = caller(mock);
    await expect.poll(async () => (await call.list()).body.jobs.length, { interval: 2 }).toBe(1);
    abort.abort(new Error("disconnected"));
    await expect(response).rejects.toThrow("disconnected");
    await mock.clock.advance("2s");
    expect((await call.list()).body.jobs).toMatchObject([{ status: "succeeded" }]);
  });
});

test.each([
  ["redirects, without following it", 302, 4],
  ["does not exist", null, 0],
])("webhooks of a served mock end at a receiver that %s", async (_name, status, count) => {
  const { mock, submit } = await served();
  const hooks = await loopback(() => ({ status: 302, location: "/hook" }));
  const url = status === null ? hooks.url.replace(/\d+$/, "1") : hooks.url;
  await submit({ webhook_url: url });
  await mock.clock.advance("1h");
  expect(hooks.arrived).toHaveLength(count);
  const [delivery] = await mock.webhooks.deliveries();
  expect(delivery?.state).toBe("given-up");
  const attempts = delivery?.attempts.map((attempt) => [attempt.status, typeof attempt.error]);
  const expected = [status, status === null ? "string" : "object"];
  expect(attempts).toEqual([expected, expected, expected, expected]);
});

describe("a closed server", () => {
  test("takes no connections, frees its port and leaves the mock usable", async () => {
    const { mock, server } = await served();
    await (await fetch(server.url)).arrayBuffer();
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow("fetch failed");
    expect((await caller(mock).account()).status).toBe(200);
    const next = await serve(mock, { port: server.port });
    expect((await fetch(next.url)).status).toBe(200);
    await next.close();
  });

  test("ends requests in progress, and may be closed twice", async () => {
    const { server, submit } = await served();
    const failed = submit({ wait: true, prompt: "mock:never" }).catch(String);
    await (await fetch(server.url)).arrayBuffer();
    await Promise.all([server.close(), server.close()]);
    expect(await failed).toContain("fetch failed");
  });
});

test("an unavailable port is in the error, with the fix", async () => {
  const { mock, server } = await served();
  await expect(serve(mock, { port: server.port })).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${server.port}: port ${server.port} is taken; choose another, or 0`,
  );
  const otherMachine = serve(mock, { host: "192.0.2.1" });
  await expect(otherMachine).rejects.toThrow("does not have the IP address 192.0.2.1; use 127");
});
