import { describe, expect, test } from "vitest";

import type { FaultInput } from "./fault.ts";
import { balanceOf, failureOf, withFaults } from "../../test/with-faults.ts";
import { covers } from "../../test/covers.ts";

const on = "POST /api/v1/tryon";

describe("a fault with a status", () => {
  test("answers instead of the service, charges nothing and leaves no record", async () => {
    covers("errors.503.charge");
    const { mock, submit, get } = withFaults();
    mock.faults.add({ on, times: 1, status: 503, retryAfter: 2 });
    const refused = await submit({}, { "idempotency-key": "a" });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("2");
    expect(refused.headers.get("x-mock")).toMatch(/^tryon-mock\//);
    expect(await refused.json()).toEqual({ detail: expect.any(String) });
    expect(await balanceOf(mock)).toBe(1_000);
    expect(await (await get("/api/v1/tryon")).json()).toMatchObject({ jobs: [] });
    const taken = await submit({ seed: 7 }, { "idempotency-key": "a" });
    expect(taken.status).toBe(200);
    expect(taken.headers.get("idempotent-replayed")).toBeNull();
    expect(await balanceOf(mock)).toBe(992);
  });

  test.each<[Omit<FaultInput, "on">, string, RegExp]>([
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
    [{ status: 204 }, "", /^$/],
  ])("has the body and the type that belong to it: %j", async (fault, type, body) => {
    const { mock, submit } = withFaults();
    mock.faults.add({ on, ...fault });
    const response = await submit();
    expect(response.status).toBe(fault.status);
    expect(response.headers.get("content-type") ?? "").toBe(type);
    expect(await response.text()).toMatch(body);
  });

  test("has further headers, and those that callers know the status by", async () => {
    const { mock, submit } = withFaults();
    const { id } = mock.faults.add({ on, status: 307, headers: { location: "https://a.example" } });
    expect((await submit()).headers.get("location")).toBe("https://a.example");
    mock.faults.remove(id);
    mock.faults.add({ on, status: 429 });
    const limited = await submit();
    expect(limited.headers.get("retry-after")).toBe("1");
    expect(limited.headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("a fault with latency", () => {
  test("holds the call up on the server's clock before anything is done", async () => {
    const { mock, submit } = withFaults();
    mock.faults.add({ on, latency: "3s" });
    const answer = submit();
    await mock.clock.advance("2999ms");
    expect(await balanceOf(mock)).toBe(1_000);
    await mock.clock.advance(1);
    expect((await answer).status).toBe(200);
    expect(await balanceOf(mock)).toBe(992);
  });

  test("adds to others and to what comes after it", async () => {
    const { mock, submit } = withFaults();
    mock.faults.add({ on: "* *", latency: 1_000 });
    mock.faults.add({ on, latency: "1s" });
    mock.faults.add({ on, latency: "500ms", status: 503 });
    const answer = submit();
    await mock.clock.advance("10s");
    expect((await answer).status).toBe(503);
    expect(mock.journal.entries()).toMatchObject([
      { durationMs: 2_500, faultIds: ["fault_1", "fault_2", "fault_3"] },
    ]);
  });

  test("draws from a distribution with the median and the 95th percentile that were asked for", async () => {
    const { mock, account } = withFaults();
    mock.faults.add({ on: "* *", latency: { median: "200ms", p95: "1s" } });
    const calls = Array.from({ length: 400 }, account);
    await mock.clock.advance("1h");
    await Promise.all(calls);
    const times = mock.journal.entries().map(({ durationMs }) => durationMs ?? Number.NaN);
    const share = (limit: number): number => times.filter((time) => time <= limit).length / 400;
    expect(share(200)).toBeGreaterThan(0.42);
    expect(share(200)).toBeLessThan(0.58);
    expect(share(1_000)).toBeGreaterThan(0.92);
    expect(share(1_000)).toBeLessThan(0.98);
  });
});

describe("a connection that is reset in process", () => {
  test("before the work fails as fetch does, and nothing was done", async () => {
    const { mock, submit } = withFaults();
    mock.faults.add({ on, times: 1, reset: "before" });
    expect(await failureOf(submit())).toEqual({
      name: "TypeError",
      message: "fetch failed",
      code: "ECONNRESET",
    });
    expect(await balanceOf(mock)).toBe(1_000);
    expect((await submit()).status).toBe(200);
  });

  test("after the work fails alike, and the same key gets the work's answer", async () => {
    const { mock, submit } = withFaults();
    mock.faults.add({ on, times: 1, reset: "after" });
    const key = { "idempotency-key": "once" };
    expect(await failureOf(submit({}, key))).toMatchObject({ code: "ECONNRESET" });
    expect(await balanceOf(mock)).toBe(992);
    const again = await submit({}, key);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await balanceOf(mock)).toBe(992);
    expect(mock.journal.entries({ method: "POST" })).toMatchObject([
      { status: null, durationMs: 0, replayed: false, faultIds: ["fault_1"] },
      { status: 200, durationMs: 0, replayed: true, faultIds: [] },
    ]);
  });
});

describe("a body that is truncated in process", () => {
  test("announces its whole length, gives its first bytes, then breaks as fetch does", async () => {
    const { mock, account } = withFaults();
    const whole = await (await account()).arrayBuffer();
    mock.faults.add({ on: "GET /api/v1/account", truncateAt: 10 });
    const response = await account();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(String(whole.byteLength));
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value).toHaveLength(10);
    expect(await failureOf(reader?.read() ?? Promise.resolve())).toMatchObject({
      message: "terminated",
      code: "UND_ERR_SOCKET",
    });
    expect(await failureOf((await account()).json())).toMatchObject({ message: "terminated" });
  });

  test("may be that of a made-up answer, and is whole when it is no longer than that", async () => {
    const { mock, account } = withFaults();
    mock.faults.add({ on: "* *", times: 1, status: 503, body: "much too long", truncateAt: 0 });
    mock.faults.add({ on: "* *", truncateAt: 100_000 });
    const cut = await account();
    expect(cut.status).toBe(503);
    expect(await failureOf(cut.text())).toMatchObject({ message: "terminated" });
    expect(await (await account()).json()).toMatchObject({ credits_remaining: 1_000 });
  });
});

describe("a proxy that cuts a call", () => {
  test("answers with its own page while the work goes on", async () => {
    const { mock, submit, get } = withFaults();
    mock.faults.add({ on, cutAfter: "1s" });
    const answer = submit({ wait: true });
    await mock.clock.advance("1s");
    const cut = await answer;
    expect(cut.status).toBe(504);
    expect(cut.headers.get("content-type")).toContain("text/html");
    expect(await cut.text()).toContain("504 Gateway Time-out");
    await mock.clock.advance("1s");
    const [entry] = mock.journal.entries({ method: "POST" });
    const job = await (await get(`/api/v1/tryon/${entry?.jobId}`)).json();
    expect(job).toMatchObject({ status: "succeeded", cost_credits: 8 });
    expect(mock.clock.pending).toBe(0);
  });

  test("lets an answer pass that comes in time, and may say another status", async () => {
    const { mock, submit } = withFaults();
    mock.faults.add({ on, cutAfter: "1s", status: 524 });
    expect((await submit()).status).toBe(200);
    const held = submit({ wait: true });
    await mock.clock.advance("2s");
    expect((await held).status).toBe(524);
  });
});
