import { describe, expect, test } from "vitest";

import { covers } from "../../test/covers.ts";
import { served } from "../../test/served.ts";
import { balanceOf, failureOf, withFaults } from "../../test/with-faults.ts";
import type { FaultInput } from "./fault.ts";

const on = "POST /api/v1/tryon";
const key = { "idempotency-key": "once" };

describe.each([
  ["in process", () => Promise.resolve(withFaults())],
  ["over HTTP", () => served()],
])("a fault %s", (_transport, setUp) => {
  test("with a status replaces the response, charges nothing and leaves no record", async () => {
    covers("errors.503.charge");
    const { mock, submit, get } = await setUp();
    mock.faults.add({ on, times: 1, status: 503, retryAfter: 2 });
    const failed = await submit({}, key);
    expect(failed.status).toBe(503);
    expect(failed.headers.get("retry-after")).toBe("2");
    expect(failed.headers.get("x-mock")).toMatch(/^tryon-mock\//);
    expect(await failed.json()).toEqual({ detail: expect.any(String) });
    expect(await balanceOf(mock)).toBe(1_000);
    expect(await (await get("/api/v1/tryon")).json()).toMatchObject({ jobs: [] });
    const accepted = await submit({ seed: 7 }, key);
    expect(accepted.status).toBe(200);
    expect(accepted.headers.get("idempotent-replayed")).toBeNull();
    expect(await balanceOf(mock)).toBe(992);
  });

  test.each<[Omit<FaultInput, "on">, string | null, RegExp]>([
    [{ status: 429 }, "application/json", /^\{"detail":"/],
    [{ status: 422 }, "application/json", /^\{"detail":\[\{"loc"/],
    [{ status: 418 }, "application/json", /^\{"detail":"/],
    [{ status: 502 }, "text/html; charset=utf-8", /502 Bad Gateway/],
    [{ status: 524 }, "text/html; charset=utf-8", /524 A timeout occurred/],
    [{ status: 503, html: true }, "text/html; charset=utf-8", /503 Error/],
    [{ status: 502, html: false }, "application/json", /^\{"detail":"/],
    [{ status: 503, html: true, body: "<p>down" }, "text/html; charset=utf-8", /^<p>down$/],
    [{ status: 500, body: { detail: "x" } }, "application/json", /^\{"detail":"x"\}$/],
    [{ status: 500, body: '{"detail":"y"}' }, "application/json", /^\{"detail":"y"\}$/],
    [{ status: 200, body: "ok" }, "text/plain", /^ok$/],
    [{ status: 204 }, null, /^$/],
  ])("%j has its body and content type", async (fault, type, body) => {
    const { mock, submit } = await setUp();
    mock.faults.add({ on, ...fault });
    const response = await submit();
    expect(response.status).toBe(fault.status);
    expect(response.headers.get("content-type")).toBe(type);
    expect(await response.text()).toMatch(body);
  });

  test("adds the latency of several faults on the server's clock, before the work", async () => {
    const { mock, submit } = await setUp();
    mock.faults.add({ on: "* *", latency: 1_000 });
    mock.faults.add({ on, times: 1, latency: "500ms", status: 503 });
    mock.faults.add({ on, latency: "1s" });
    for (const [delay, status, balance] of [
      [1_500, 503, 1_000],
      [2_000, 200, 992],
    ] as const) {
      const arrival = mock.journal.waitFor(on, { until: "arrived", since: mock.clock.now() });
      const response = submit();
      await arrival;
      await mock.clock.advance(delay - 1);
      expect(await balanceOf(mock)).toBe(1_000);
      await mock.clock.advance(1);
      expect((await response).status).toBe(status);
      expect(await balanceOf(mock)).toBe(balance);
    }
    expect(mock.journal.entries()).toMatchObject([
      { durationMs: 1_500, faultIds: ["fault_1", "fault_2"] },
      { durationMs: 2_000, faultIds: ["fault_1", "fault_3"] },
    ]);
  });

  test.each([
    ["before", 1_000, null],
    ["after", 992, "true"],
  ] as const)("resets the connection %s the work", async (reset, balance, replayed) => {
    const { mock, submit } = await setUp();
    mock.faults.add({ on, times: 1, reset });
    expect(await failureOf(submit({}, key))).toMatchObject({ message: "fetch failed" });
    expect(await balanceOf(mock)).toBe(balance);
    const again = await submit({}, key);
    expect(again.headers.get("idempotent-replayed")).toBe(replayed);
    expect(await balanceOf(mock)).toBe(992);
    expect(mock.journal.entries({ method: "POST" })).toMatchObject([
      { status: null, durationMs: 0, replayed: false, faultIds: ["fault_1"] },
      { status: 200, durationMs: 0, replayed: replayed === "true", faultIds: [] },
    ]);
  });

  test("truncates the body of any response that is longer", async () => {
    const { mock, submit, account } = await setUp();
    const whole = await (await account()).arrayBuffer();
    mock.faults.add({ on: "* *", times: 2, truncateAt: 5 });
    mock.faults.add({ on: "* *", times: 1, status: 503, body: "much too long", truncateAt: 0 });
    mock.faults.add({ on: "* *", truncateAt: 100_000 });
    const cut = await account();
    expect(cut.status).toBe(200);
    expect(cut.headers.get("content-length")).toBe(String(whole.byteLength));
    expect(await failureOf(cut.json())).toMatchObject({ message: "terminated" });
    expect(await failureOf((await submit()).text())).toMatchObject({ message: "terminated" });
    const replaced = await account();
    expect(replaced.status).toBe(503);
    expect(await failureOf(replaced.text())).toMatchObject({ message: "terminated" });
    expect(await (await account()).json()).toMatchObject({ credits_remaining: 992 });
  });

  test("responds as a proxy after a time, while the work goes on", async () => {
    const { mock, submit, get } = await setUp();
    mock.faults.add({ on, times: 1, cutAfter: "1s" });
    mock.faults.add({ on, cutAfter: "1s", status: 524 });
    const response = submit({ wait: true });
    await mock.journal.waitFor(on, { until: "arrived" });
    await mock.clock.advance("1s");
    const cut = await response;
    expect(cut.status).toBe(504);
    expect(cut.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await cut.text()).toContain("504 Gateway Time-out");
    await mock.clock.advance("1s");
    const [entry] = mock.journal.entries({ method: "POST" });
    const job = await (await get(`/api/v1/tryon/${entry?.jobId}`)).json();
    expect(job).toMatchObject({ status: "succeeded", cost_credits: 8 });
    expect((await submit()).status).toBe(200);
    const other = submit({ wait: true });
    await mock.journal.waitFor(on, { until: "arrived", count: 3 });
    await mock.clock.advance("2s");
    expect((await other).status).toBe(524);
    expect(mock.clock.pending).toBe(0);
  });
});

async function exchanges() {
  const { open, ...calls } = await served();
  const exchange = async (path: string) => {
    const connection = open(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    return { text: await connection.closed, error: connection.error() };
  };
  return { ...calls, exchange };
}

test("a reset sends no byte, and resets the connection instead of closing it", async () => {
  const { mock, exchange } = await exchanges();
  mock.faults.add({ on: "* *", reset: "before" });
  expect(await exchange("/api/discovery")).toEqual({ text: "", error: "ECONNRESET" });
});

test.each([0, 1, 40])("a body truncated at %d is shorter than announced", async (truncateAt) => {
  const { mock, exchange } = await exchanges();
  mock.faults.add({ on: "GET /api/discovery", truncateAt });
  const { text, error } = await exchange("/api/discovery");
  const [head = "", body = ""] = text.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBeGreaterThan(40);
  expect(body).toHaveLength(truncateAt);
  expect(error).toBeUndefined();
});

test("a truncated image keeps its first bytes", async () => {
  const { mock, submitted, resultOf, exchange } = await exchanges();
  const id = await submitted();
  await mock.clock.advance("2s");
  const { pathname, search } = await resultOf(id);
  mock.faults.add({ on: "GET /results/*", truncateAt: 1_000 });
  const { text } = await exchange(`${pathname}${search}`);
  const [, body = ""] = text.split(/\r\n\r\n([^]*)/);
  expect(body).toHaveLength(1_000);
  expect(body.startsWith("\u0089PNG")).toBe(true);
});

test("a fault adds headers to the defaults of its status", async () => {
  const { mock, submit } = withFaults();
  mock.faults.add({ on, times: 1, status: 307, headers: { location: "https://a.example" } });
  mock.faults.add({ on, status: 429 });
  expect((await submit()).headers.get("location")).toBe("https://a.example");
  const { headers } = await submit();
  expect(headers.get("retry-after")).toBe("1");
  expect(headers.get("access-control-allow-origin")).toBe("*");
});

test("latency has the median and the 95th percentile of its distribution", async () => {
  const { mock, account } = withFaults();
  mock.faults.add({ on: "* *", latency: { median: "200ms", p95: "1s" } });
  const responses = Array.from({ length: 400 }, account);
  await mock.clock.advance("1h");
  await Promise.all(responses);
  const times = mock.journal.entries().map(({ durationMs }) => durationMs ?? Number.NaN);
  const share = (limit: number): number => times.filter((time) => time <= limit).length / 400;
  expect(share(200)).toBeGreaterThan(0.42);
  expect(share(200)).toBeLessThan(0.58);
  expect(share(1_000)).toBeGreaterThan(0.92);
  expect(share(1_000)).toBeLessThan(0.98);
});

test("errors in process have the form of fetch's errors", async () => {
  const { mock, account } = withFaults();
  mock.faults.add({ on: "* *", times: 1, reset: "before" });
  mock.faults.add({ on: "* *", truncateAt: 10 });
  expect(await failureOf(account())).toEqual({
    name: "TypeError",
    message: "fetch failed",
    code: "ECONNRESET",
  });
  const reader = (await account()).body?.getReader();
  expect((await reader?.read())?.value).toHaveLength(10);
  expect(await failureOf(reader?.read() ?? Promise.resolve())).toMatchObject({
    message: "terminated",
    code: "UND_ERR_SOCKET",
  });
});
