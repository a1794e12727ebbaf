import { getEventListeners, once } from "node:events";
import { createServer } from "node:net";

import { describe, expect, it } from "vitest";

import { TryOn } from "../index.ts";
import { httpServer, listen } from "../../test/http-server.ts";
import {
  respondWith,
  assetBytes,
  createService,
  cut,
  input,
  stalledBody,
} from "../../test/service.ts";

/** Creates a signal, and a function that aborts it and returns the end of the work one turn of the event loop later. */
function abortable() {
  const controller = new AbortController();
  const reason = { stop: true };
  const { signal } = controller;
  const abort = async (work: Promise<unknown>): Promise<unknown> => {
    let end: unknown = "not ended";
    work.then(
      () => (end = "fulfilled"),
      (error: unknown) => (end = error === reason ? "the reason" : error),
    );
    controller.abort(reason);
    await turns(1);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    return end;
  };
  return { signal, abort };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Starts a server that accepts connections, and neither reads nor writes. */
async function unresponsiveServer() {
  const server = createServer((socket) => socket.pause().on("error", () => undefined));
  return { url: await listen(server), connected: once(server, "connection") };
}

function client(baseUrl: string): TryOn {
  return new TryOn({ apiKey: "svc_test_a", baseUrl });
}

const getAccount = (tryon: TryOn, signal: AbortSignal) => tryon.account.get({ signal });

describe("an aborted call rejects within one tick with the reason of the caller", () => {
  it("before it sends a request", async () => {
    const { tryon, sent } = createService();
    for (const call of [
      (signal: AbortSignal) => tryon.run(input, { signal }),
      (signal: AbortSignal) => getAccount(tryon, signal),
      (signal: AbortSignal) => tryon.jobs.resume("job_1").result({ signal }),
    ]) {
      const { signal, abort } = abortable();
      await abort(Promise.resolve());
      expect(await abort(call(signal))).toBe("the reason");
    }
    expect(sent).toEqual([]);
  });

  const image = new Blob([assetBytes("person.jpg"), new Uint8Array(9_000_000)]);
  it.each<[string, string, (tryon: TryOn, signal: AbortSignal) => Promise<unknown>]>([
    // The server accepts the connection, and TLS never starts.
    ["connects", "https:", getAccount],
    ["waits for headers", "http:", getAccount],
    [
      "uploads",
      "http:",
      (tryon, signal) => tryon.submit({ person: image, garments: [image] }, { signal }),
    ],
  ])("while it %s", async (_what, protocol, call) => {
    const { signal, abort } = abortable();
    const { url, connected } = await unresponsiveServer();
    const work = call(client(url.replace("http:", protocol)), signal);
    await connected;
    await turns(20);
    expect(await abort(work)).toBe("the reason");
  });

  it("while it waits for the rest of the body", async () => {
    const { signal, abort } = abortable();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { url } = await httpServer((response) => {
      response.writeHead(200).write("{", () => begin());
    });
    const work = getAccount(client(url), signal);
    await begun;
    await turns(20);
    expect(await abort(work)).toBe("the reason");
  });

  const busy = { detail: "busy" };
  const headers = { "retry-after": "9" };
  it.each([
    ["503", [respondWith(503, busy, headers)]],
    ["429", [respondWith(429, busy, headers)]],
    ["409 of the first attempt", [cut.after, respondWith(409, busy, headers)]],
  ])("between two attempts, after a %s", async (_name, faults) => {
    const service = createService();
    const { signal, abort } = abortable();
    service.faults.push(...faults);
    const work = service.tryon.submit(input, { signal });
    await service.mock.clock.advance("2s");
    expect(await abort(work)).toBe("the reason");
    expect(service.sent).toHaveLength(faults.length);
  });

  it.each([0, 100, 1_600, 3_000, 4_000, 7_000])(
    "%d ms after it has started, and its job continues",
    async (time) => {
      const { run, tryon, mock, balance } = createService({ latency: "30s" });
      const { signal, abort } = abortable();
      const work = tryon.run(input, { sync: false, signal });
      await mock.clock.advance(time);
      expect(await abort(work)).toBe("the reason");
      // Reads may lag behind.
      await mock.clock.advance("2s");
      const [job] = await run(tryon.jobs.list().toArray());
      expect(job?.status).toBe("running");
      expect((await run(job?.result() ?? Promise.reject(signal.reason))).job).toBe(job);
      expect(await balance()).toBe(992);
    },
  );

  it("while it downloads an image", async () => {
    const { run, tryon, faults } = createService();
    const { signal, abort } = abortable();
    const result = await run(tryon.run(input));
    faults.push(stalledBody);
    const work = result.image.bytes({ signal });
    await turns(5);
    expect(await abort(work)).toBe("the reason");
  });
});

it.each([
  new DOMException("late", "TimeoutError"),
  new DOMException("off", "AbortError"),
  undefined,
])(
  "does not retry after an abort with the reason %s, also if fetch throws another error",
  async (reason) => {
    const { client: create, mock, sent, fetch } = createService();
    const controller = new AbortController();
    const { signal } = controller;
    const failing = {
      fetch: async (url: string, init: RequestInit): Promise<Response> => {
        await fetch(url, init);
        return new Promise((_resolve, reject) => {
          init.signal?.addEventListener("abort", () => reject(new TypeError("fetch failed")));
        });
      },
    };
    const ends = Promise.allSettled<unknown>(
      [create(failing), create({ ...failing, retries: 0 })].flatMap((tryon) => [
        tryon.account.get({ signal }),
        tryon.submit(input, { signal }),
      ]),
    );
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

it("leaves no listener and no timer after successful and failed calls", async () => {
  const { run, error, tryon, mock, faults } = createService();
  const { signal } = new AbortController();
  const result = await run(tryon.run(input, { signal }));
  await run(result.image.bytes({ signal }));
  await run(tryon.jobs.list({ signal }).toArray());
  faults.push(respondWith(400, { detail: "no" }), cut.before);
  await error(tryon.account.get({ signal }));
  await run(tryon.account.get({ signal }));
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(mock.clock.pending).toBe(0);
});
