import { getEventListeners, once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

import { describe, expect, it, onTestFinished } from "vitest";

import { TryOn } from "../index.ts";
import { accountBody, httpServer } from "../../test/http-server.ts";
import { respondWith, assetBytes, createService, cut, input } from "../../test/service.ts";

/** A signal with a reason that is like no other, and a call of it. */
function stoppable() {
  const controller = new AbortController();
  const reason = { stop: true };
  const { signal } = controller;
  return {
    signal,
    /** Aborts, and gives how the work has ended one turn of the event loop later. */
    stop: async (work: Promise<unknown>): Promise<unknown> => {
      let end: unknown = "not ended";
      work.then(
        () => (end = "ended well"),
        (error: unknown) => (end = error === reason ? "the reason" : error),
      );
      controller.abort(reason);
      await turn();
      expect(getEventListeners(signal, "abort")).toEqual([]);
      return end;
    },
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Takes connections, and neither reads nor writes. */
async function silentServer(): Promise<{ url: string; connected: Promise<unknown> }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.pause();
    socket.on("error", () => undefined);
    sockets.push(socket);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, connected: once(server, "connection") };
}

function client(baseUrl: string): TryOn {
  return new TryOn({ apiKey: "svc_test_a", baseUrl });
}

describe("a call that is aborted rejects within one tick with the caller's very reason", () => {
  it("before anything was sent", async () => {
    const { tryon, sent } = createService();
    for (const call of [
      (signal: AbortSignal) => tryon.run(input, { signal }),
      (signal: AbortSignal) => tryon.account.get({ signal }),
      (signal: AbortSignal) => tryon.jobs.resume("job_1").result({ signal }),
    ]) {
      const { signal, stop } = stoppable();
      await stop(Promise.resolve());
      expect(await stop(call(signal))).toBe("the reason");
    }
    expect(sent).toEqual([]);
  });

  it("while it connects", async () => {
    const { signal, stop } = stoppable();
    // It takes the connection, and then never says a word of TLS.
    const { url, connected } = await silentServer();
    const work = client(url.replace("http:", "https:")).account.get({ signal });
    work.catch(() => undefined);
    await connected;
    expect(await stop(work)).toBe("the reason");
  });

  it("while it uploads", async () => {
    const { signal, stop } = stoppable();
    const { url, connected } = await silentServer();
    const image = new Blob([assetBytes("person.jpg"), new Uint8Array(9_000_000)]);
    const work = client(url).submit({ person: image, garments: [image] }, { signal });
    work.catch(() => undefined);
    await connected;
    for (let count = 0; count < 20; count += 1) await turn();
    expect(await stop(work)).toBe("the reason");
  });

  it.each(["", "{"])("while headers or body are awaited, after %j", async (start) => {
    const { signal, stop } = stoppable();
    let arrived: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { url } = await httpServer((response) => {
      if (start === "") arrived?.();
      else response.writeHead(200).write(start, () => arrived?.());
    });
    const work = client(url).account.get({ signal });
    work.catch(() => undefined);
    await begun;
    for (let count = 0; count < 20; count += 1) await turn();
    expect(await stop(work)).toBe("the reason");
  });

  it("between two attempts, also while a 409 or a rate limit is waited out", async () => {
    const busy = { detail: "busy" };
    for (const faults of [
      [respondWith(503, busy, { "retry-after": "9" })],
      [respondWith(429, busy, { "retry-after": "9" })],
      [cut.after, respondWith(409, busy, { "retry-after": "9" })],
    ]) {
      const service = createService();
      const { signal, stop } = stoppable();
      service.faults.push(...faults);
      const work = service.tryon.submit(input, { signal });
      work.catch(() => undefined);
      await service.mock.clock.advance("2s");
      expect(await stop(work)).toBe("the reason");
      expect(service.sent).toHaveLength(faults.length);
    }
  });

  it("between two looks at a job", async () => {
    const { run, tryon, mock } = createService();
    const { signal, stop } = stoppable();
    const job = await run(tryon.submit({ ...input, prompt: "mock:never" }));
    const work = job.result({ signal });
    work.catch(() => undefined);
    await mock.clock.advance("7s");
    expect(await stop(work)).toBe("the reason");
  });

  it("while the image comes", async () => {
    const { run, tryon, faults } = createService();
    const { signal, stop } = stoppable();
    const result = await run(tryon.run(input));
    faults.push(
      async () =>
        new Response(
          new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(9)) }),
        ),
    );
    const work = result.image.bytes({ signal });
    work.catch(() => undefined);
    for (let count = 0; count < 5; count += 1) await turn();
    expect(await stop(work)).toBe("the reason");
  });
});

it.each([
  new DOMException("late", "TimeoutError"),
  new DOMException("off", "AbortError"),
  undefined,
])(
  "an abort with the reason %s is no failure to try again, also where fetch throws another error",
  async (reason) => {
    const { client: make, mock, sent, fetch } = createService();
    const controller = new AbortController();
    const { signal } = controller;
    const deaf = {
      fetch: async (url: string, init: RequestInit): Promise<Response> => {
        await fetch(url, init);
        return new Promise((_resolve, reject) => {
          init.signal?.addEventListener("abort", () => reject(new TypeError("fetch failed")));
        });
      },
    };
    const [tryon, hasty] = [make(deaf), make({ ...deaf, retries: 0 })];
    const ends = Promise.allSettled<unknown>([
      tryon.account.get({ signal }),
      tryon.submit(input, { signal }),
      hasty.account.get({ signal }),
      hasty.submit(input, { signal }),
    ]);
    await mock.clock.advance("1s");
    controller.abort(reason);
    for (const end of await ends) {
      expect(end).toEqual({ status: "rejected", reason: signal.reason as unknown });
    }
    await mock.clock.advance("5m");
    expect(sent).toHaveLength(4);
    expect(mock.clock.pending).toBe(0);
  },
);

it("10,000 calls on one signal leave no listener on it, whether they go well or not", async () => {
  const { signal } = new AbortController();
  let count = 0;
  const tryon = new TryOn({
    apiKey: "svc_test_a",
    baseUrl: "https://tryon.example",
    retries: 0,
    fetch: async () => {
      count += 1;
      if (count % 3 === 0) throw new TypeError("fetch failed");
      return new Response(count % 3 === 1 ? accountBody : "no", { status: count % 3 ? 200 : 400 });
    },
  });
  let most = 0;
  for (let call = 0; call < 10_000; call += 1) {
    await tryon.account.get({ signal }).catch(() => undefined);
    most = Math.max(most, getEventListeners(signal, "abort").length);
  }
  expect(count).toBe(10_000);
  expect(most).toBe(0);
});

it("an attempt after one that ran out of time has all of its own", async () => {
  const { run, client: make, faults, sent } = createService();
  faults.push(
    () => new Promise(() => undefined),
    () => new Promise(() => undefined),
  );
  await run(make({ attemptTimeout: "10s" }).account.get());
  const starts = sent.map(({ at }) => at - (sent[0]?.at ?? 0));
  expect(starts[1]).toBeGreaterThanOrEqual(10_000);
  expect((starts[2] ?? 0) - (starts[1] ?? 0)).toBeGreaterThanOrEqual(10_000);
});
