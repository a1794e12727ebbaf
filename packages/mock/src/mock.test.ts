import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createMock } from "./mock.ts";
import { caller, finished, manualServer } from "../test/caller.ts";
import { receiver } from "../test/receiver.ts";
import { covers } from "../test/covers.ts";
import { streamed } from "../test/streamed.ts";
import { headers } from "../test/with-faults.ts";

const body = '{"person_url":"https://a.example/p.png","items":["https://a.example/g.png"]}';

describe("a mock", () => {
  test("shares no state with another one", async () => {
    const [first, second] = [manualServer(), manualServer()];
    await first.call.submit();
    await first.mock.clock.advance("1h");
    expect((await second.call.list()).body.jobs).toEqual([]);
    expect((await second.mock.ledger(second.mock.keys.live))?.balance).toBe(1_000);
    expect(second.mock.clock.now()).toBe(Date.UTC(2026, 0, 1));
  });

  test("has a detached fetch that takes a string, a URL or a Request", async () => {
    const { fetch, baseUrl } = manualServer().mock;
    const url = `${baseUrl}/api/discovery`;
    for (const resource of [url, new URL(url), new Request(url)]) {
      expect((await fetch(resource)).status).toBe(200);
    }
    expect((await fetch(new Request(url), { method: "PUT" })).status).toBe(405);
  });

  test("rejects a relative URL and a used request, as fetch does", async () => {
    const { mock } = manualServer();
    await expect(mock.fetch("/api/discovery")).rejects.toThrow(TypeError);
    const used = new Request(`${mock.baseUrl}/api/v1/tryon`, { method: "POST", body: "{}" });
    await used.text();
    await expect(mock.fetch(used)).rejects.toThrow(TypeError);
  });

  test("uses its baseUrl in results", async () => {
    covers("service.base-url.given");
    const { mock, call } = manualServer({ baseUrl: "https://api.shop.example" });
    const job = await finished(mock, call);
    expect(new URL(job.result_url ?? "").origin).toBe("https://api.shop.example");
  });

  test("has the machine's time by default, which can be moved ahead", async () => {
    const mock = createMock({ latency: "1h" });
    expect(Math.abs(mock.clock.now() - Date.now())).toBeLessThan(60_000);
    const call = caller(mock);
    const { job_id } = (await call.submit()).body;
    await mock.clock.advance("1h");
    expect((await call.poll(job_id)).body.status).toBe("succeeded");
    mock.close();
  });

  test.each(["real", "manual"] as const)("works under fake timers on a %s clock", async (clock) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "setImmediate", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const hooks = receiver();
    const mock = createMock({ clock, latency: 20, sendWebhook: hooks.send });
    const sync = caller(mock).submit({ wait: true, webhook_url: "https://shop.example/hook" });
    if (clock === "manual") await mock.clock.advance(20);
    expect((await sync).body.status).toBe("succeeded");
    await mock.clock.advance(0);
    expect(hooks.received.map(({ request }) => request.url)).toEqual(["https://shop.example/hook"]);
    mock.close();
  });
});

describe("an aborted request", () => {
  test("rejects at once with the exact reason, and its job continues", async () => {
    const { mock, call } = manualServer();
    const abort = new AbortController();
    const outcome = mock
      .fetch(`${mock.baseUrl}/api/v1/tryon`, {
        method: "POST",
        headers,
        body,
        signal: abort.signal,
      })
      .catch((reason: unknown) => reason);
    await mock.clock.advance("1s");
    abort.abort("enough");
    expect(await outcome).toBe("enough");
    await mock.clock.advance("1s");
    expect((await call.list()).body.jobs).toMatchObject([{ status: "succeeded" }]);
  });

  test("rejects when it was aborted before", async () => {
    const { mock } = manualServer();
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(mock.fetch(`${mock.baseUrl}/`, { signal })).rejects.toThrow("too late");
  });

  test("leaves no listener on its signal", async () => {
    const { mock } = manualServer();
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

test("close ends synchronous requests, refuses later ones and clears all timers", async () => {
  const { mock, call } = manualServer();
  await call.submit({ webhook_url: "https://a.example/hook" });
  const sync = call.submit({ wait: true, prompt: "mock:never" });
  const outcome = sync.catch((reason: unknown) => String(reason));
  await mock.clock.advance("1s");
  expect(mock.clock.pending).toBeGreaterThan(0);
  mock.close();
  mock.close();
  expect(await outcome).toContain("has been closed");
  expect(mock.clock.pending).toBe(0);
  await expect(mock.fetch(mock.baseUrl)).rejects.toThrow("has been closed");
});

describe("a manual clock", () => {
  test("waits for a body that is still arriving", async () => {
    const { mock, call } = manualServer();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const sync = mock.fetch(`${mock.baseUrl}/api/v1/tryon`, streamed(readable, headers));
    const moved = mock.clock.advance("2s");
    await call.account();
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode(body));
    await writer.close();
    await moved;
    expect(await (await sync).json()).toMatchObject({ status: "succeeded" });
    const [job] = (await call.list()).body.jobs;
    expect(job).toMatchObject({ created_at: "2026-01-01T00:00:00Z", duration_ms: 1_500 });
  });

  test("moves through every instant of concurrent requests", async () => {
    const { mock, call } = manualServer();
    const countPolls = async (): Promise<number> => {
      const { job_id } = (await call.submit({ prompt: "mock:slow=5000" })).body;
      for (let polls = 1; ; polls += 1) {
        if ((await call.poll(job_id)).body.status === "succeeded") return polls;
        await mock.clock.sleep(1_000);
      }
    };
    const polls = Promise.all([countPolls(), countPolls()]);
    await mock.clock.advance("10s");
    expect(await polls).toEqual([6, 6]);
  });
});
