import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createMock } from "./mock.ts";
import { caller, finished } from "../test/caller.ts";
import { covers } from "../test/covers.ts";
import { streamed } from "../test/streamed.ts";

describe("a mock", () => {
  test("shares nothing with another one", async () => {
    const [first, second] = [createMock({ clock: "manual" }), createMock({ clock: "manual" })];
    await caller(first).submit();
    await first.clock.advance("1h");
    expect((await caller(second).list()).body.jobs).toEqual([]);
    expect((await second.ledger(second.keys.live))?.balance).toBe(1_000);
    expect(second.clock.now()).toBe(Date.UTC(2026, 0, 1));
  });

  test("is called as fetch is: with text, URL or Request, and detached", async () => {
    const mock = createMock({ clock: "manual" });
    const { fetch, baseUrl } = mock;
    const address = `${baseUrl}/api/discovery`;
    for (const resource of [address, new URL(address), new Request(address)]) {
      expect((await fetch(resource)).status).toBe(200);
    }
    expect((await fetch(new Request(address), { method: "PUT" })).status).toBe(405);
  });

  test("refuses what fetch refuses", async () => {
    const mock = createMock({ clock: "manual" });
    await expect(mock.fetch("/api/discovery")).rejects.toThrow(TypeError);
    const used = new Request(`${mock.baseUrl}/api/v1/tryon`, { method: "POST", body: "{}" });
    await used.text();
    await expect(mock.fetch(used)).rejects.toThrow(TypeError);
  });

  test("answers at its own address", async () => {
    covers("service.base-address.given");
    const mock = createMock({ clock: "manual", baseUrl: "https://api.shop.example" });
    const job = await finished(mock, caller(mock));
    expect(new URL(job.result_url ?? "").origin).toBe("https://api.shop.example");
  });

  test("has the machine's time unless it is manual, and can be moved ahead of it", async () => {
    const mock = createMock({ latency: "1h" });
    expect(Math.abs(mock.clock.now() - Date.now())).toBeLessThan(60_000);
    const call = caller(mock);
    const { body } = await call.submit();
    await mock.clock.advance("1h");
    expect((await call.poll(body.job_id)).body.status).toBe("succeeded");
    mock.close();
  });
});

describe("the fake timers of a test framework", () => {
  test.each(["real", "manual"] as const)("do not freeze a server on a %s clock", async (mode) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "setImmediate", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const sent: string[] = [];
    const sendWebhook = async ({ url }: Request): Promise<Response> => {
      sent.push(url);
      return new Response();
    };
    const mock = createMock({ clock: mode, latency: 20, sendWebhook });
    const held = caller(mock).submit({ wait: true, webhook_url: "https://shop.example/hook" });
    if (mode === "manual") await mock.clock.advance(20);
    expect((await held).body.status).toBe("succeeded");
    await mock.clock.advance(0);
    expect(sent).toEqual(["https://shop.example/hook"]);
    mock.close();
  });
});

describe("a call whose signal is aborted", () => {
  test("rejects at once with the very reason, and the job goes on", async () => {
    const mock = createMock({ clock: "manual" });
    const call = caller(mock);
    const abort = new AbortController();
    const held = mock.fetch(`${mock.baseUrl}/api/v1/tryon`, {
      method: "POST",
      headers: { authorization: `Bearer ${mock.keys.live}`, "content-type": "application/json" },
      body: '{"person_url":"https://a.example/p.png","items":["https://a.example/g.png"]}',
      signal: abort.signal,
    });
    const outcome = held.catch((reason: unknown) => reason);
    await mock.clock.advance("1s");
    abort.abort("enough");
    expect(await outcome).toBe("enough");
    await mock.clock.advance("1s");
    expect((await call.list()).body.jobs).toMatchObject([{ status: "succeeded" }]);
  });

  test("rejects without a job when it was aborted before", async () => {
    const mock = createMock({ clock: "manual" });
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(mock.fetch(`${mock.baseUrl}/`, { signal })).rejects.toThrow("too late");
  });

  test("leaves nothing on a signal that lives long", async () => {
    const mock = createMock({ clock: "manual" });
    const { signal } = new AbortController();
    let listeners = 0;
    const request = new Request(`${mock.baseUrl}/api/discovery`);
    Object.defineProperty(request, "signal", {
      value: new Proxy(signal, {
        get(target, name) {
          if (name === "addEventListener") return () => (listeners += 1);
          if (name === "removeEventListener") return () => (listeners -= 1);
          return Reflect.get(target, name, target) as unknown;
        },
      }),
    });
    await mock.fetch(request);
    expect(listeners).toBe(0);
  });
});

describe("a mock that is closed", () => {
  test("refuses calls and leaves nothing pending", async () => {
    const mock = createMock({ clock: "manual" });
    await caller(mock).submit({ webhook_url: "https://a.example/hook" });
    expect(mock.clock.pending).toBeGreaterThan(0);
    mock.close();
    mock.close();
    expect(mock.clock.pending).toBe(0);
    await expect(mock.fetch(mock.baseUrl)).rejects.toThrow("has been closed");
  });

  test("ends the calls that it holds", async () => {
    const mock = createMock({ clock: "manual" });
    const held = caller(mock).submit({ wait: true, prompt: "mock:never" });
    const outcome = held.catch((reason: unknown) => String(reason));
    await mock.clock.advance("1s");
    mock.close();
    expect(await outcome).toContain("has been closed");
    expect(mock.clock.pending).toBe(0);
  });
});

describe("time that is moved while a call is under way", () => {
  test("waits until the call has been taken in", async () => {
    const mock = createMock({ clock: "manual" });
    const held = caller(mock).submit({ wait: true });
    await mock.clock.advance("1500ms");
    expect((await held).body.status).toBe("succeeded");
  });

  test("waits for a body that is still being sent", async () => {
    const mock = createMock({ clock: "manual" });
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const sent = new ReadableStream<Uint8Array>({
      start(begun) {
        controller = begun;
      },
    });
    const headers = {
      authorization: `Bearer ${mock.keys.live}`,
      "content-type": "application/json",
    };
    const held = mock.fetch(`${mock.baseUrl}/api/v1/tryon`, streamed(sent, headers));
    const moved = mock.clock.advance("2s");
    const body = '{"person_url":"https://a.example/p.png","items":["https://a.example/g.png"]}';
    await caller(mock).account();
    controller?.enqueue(new TextEncoder().encode(body));
    controller?.close();
    await moved;
    expect(await (await held).json()).toMatchObject({ status: "succeeded" });
    const [job] = (await caller(mock).list()).body.jobs;
    expect(job).toMatchObject({ created_at: "2026-01-01T00:00:00Z", duration_ms: 1_500 });
  });

  test("moves on through every instant of every call", async () => {
    const mock = createMock({ clock: "manual" });
    const call = caller(mock);
    const loop = async (): Promise<number> => {
      const { body } = await call.submit({ prompt: "mock:slow=5000" });
      for (let polls = 1; ; polls += 1) {
        if ((await call.poll(body.job_id)).body.status === "succeeded") return polls;
        await mock.clock.sleep(1_000);
      }
    };
    const polls = Promise.all([loop(), loop()]);
    await mock.clock.advance("10s");
    expect(await polls).toEqual([6, 6]);
  });
});
