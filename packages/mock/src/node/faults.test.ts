import { createConnection } from "node:net";

import { describe, expect, onTestFinished, test } from "vitest";

import { balanceOf, failureOf, plainCalls, withFaults } from "../../test/with-faults.ts";
import { serve } from "./serve.ts";

const on = "POST /api/v1/tryon";

async function setUp() {
  const { mock } = withFaults();
  const server = await serve(mock);
  onTestFinished(() => server.close());
  const headers = { authorization: `Bearer ${mock.keys.live}`, "content-type": "application/json" };
  return { mock, server, ...plainCalls(fetch, server.url, headers) };
}

/** All bytes that a server sends on a connection of its own, and how the connection ended. */
function exchange(port: number, request: string): Promise<{ text: string; end: string }> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const text = (): string => Buffer.concat(parts).toString("latin1");
    const socket = createConnection(port, "127.0.0.1", () => socket.write(request));
    socket.on("data", (part) => parts.push(part));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      resolve({ text: text(), end: error.code ?? "" }),
    );
    socket.on("end", () => resolve({ text: text(), end: "end" }));
  });
}

describe("a fault over HTTP", () => {
  test("that answers instead of the service is what the caller gets", async () => {
    const { mock, submit } = await setUp();
    mock.faults.add({ on, times: 1, status: 503, retryAfter: 2 });
    mock.faults.add({ on, times: 1, status: 502 });
    const refused = await submit();
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("2");
    expect(await refused.json()).toHaveProperty("detail");
    const gateway = await submit();
    expect(gateway.status).toBe(502);
    expect(await gateway.text()).toContain("<html>");
    expect(await balanceOf(mock)).toBe(1_000);
  });

  test("that resets before the work breaks the connection, and nothing was done", async () => {
    const { mock, submit } = await setUp();
    mock.faults.add({ on, times: 1, reset: "before" });
    expect(await failureOf(submit())).toMatchObject({ message: "fetch failed" });
    expect(await balanceOf(mock)).toBe(1_000);
    expect((await submit()).status).toBe(200);
  });

  test("that resets after the work breaks the connection, and the work was done", async () => {
    const { mock, submit } = await setUp();
    mock.faults.add({ on, times: 1, reset: "after" });
    const key = { "idempotency-key": "once" };
    expect(await failureOf(submit({}, key))).toMatchObject({ message: "fetch failed" });
    expect(await balanceOf(mock)).toBe(992);
    const again = await submit({}, key);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await balanceOf(mock)).toBe(992);
  });

  test("that resets sends no byte, and a reset rather than an end", async () => {
    const { mock, server } = await setUp();
    mock.faults.add({ on: "* *", reset: "before" });
    const request = "GET /api/discovery HTTP/1.1\r\nhost: a\r\n\r\n";
    expect(await exchange(server.port, request)).toEqual({ text: "", end: "ECONNRESET" });
  });

  test.each([0, 1, 40])("that truncates at %d sends fewer bytes than it announces", async (at) => {
    const { mock, server } = await setUp();
    mock.faults.add({ on: "GET /api/discovery", truncateAt: at });
    const request = "GET /api/discovery HTTP/1.1\r\nhost: a\r\n\r\n";
    const { text, end } = await exchange(server.port, request);
    const [head = "", body = ""] = text.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBeGreaterThan(40);
    expect(body).toHaveLength(at);
    expect(end).toBe("end");
  });

  test("that truncates makes the reading of the body fail", async () => {
    const { mock, submit, account } = await setUp();
    mock.faults.add({ on: "* *", times: 2, truncateAt: 5 });
    const response = await account();
    expect(response.status).toBe(200);
    expect(await failureOf(response.json())).toMatchObject({ message: "terminated" });
    expect(await failureOf((await submit()).text())).toMatchObject({ message: "terminated" });
    expect(await balanceOf(mock)).toBe(992);
    expect((await account()).status).toBe(200);
  });

  test("that truncates an image leaves its beginning", async () => {
    const { mock, server, submit, get } = await setUp();
    // The contract's answer to a submission has a job_id.
    const { job_id } = (await (await submit()).json()) as { job_id: string };
    await mock.clock.advance("2s");
    const job = (await (await get(`/api/v1/tryon/${job_id}`)).json()) as { result_url: string };
    mock.faults.add({ on: "GET /results/*", truncateAt: 1_000 });
    const { pathname, search } = new URL(job.result_url);
    const request = `GET ${pathname}${search} HTTP/1.1\r\nhost: a\r\n\r\n`;
    const { text } = await exchange(server.port, request);
    const [, body = ""] = text.split(/\r\n\r\n([^]*)/);
    expect(body).toHaveLength(1_000);
    expect(body.startsWith("\u0089PNG")).toBe(true);
  });

  test("that cuts leaves the work going on", async () => {
    const { mock, submit, get } = await setUp();
    mock.faults.add({ on, cutAfter: "1s" });
    const answer = submit({ wait: true });
    await mock.journal.waitFor(on, { until: "arrived" });
    await mock.clock.advance("1s");
    const cut = await answer;
    expect([cut.status, cut.headers.get("content-type")]).toEqual([
      504,
      "text/html; charset=utf-8",
    ]);
    await mock.clock.advance("1s");
    const list = await (await get("/api/v1/tryon")).json();
    expect(list).toMatchObject({ jobs: [{ status: "succeeded" }] });
  });

  test("with latency holds the call up on the server's clock", async () => {
    const { mock, account } = await setUp();
    mock.faults.add({ on: "* *", latency: "1m" });
    const answer = account();
    await mock.journal.waitFor("GET *", { until: "arrived" });
    await mock.clock.advance("1m");
    expect((await answer).status).toBe(200);
    expect(mock.journal.entries()).toMatchObject([{ durationMs: 60_000, status: 200 }]);
  });
});
