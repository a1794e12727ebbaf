import { runInNewContext } from "node:vm";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMemoryStore, createReceiver, WebhookError } from "../index.ts";
import type { HandlerContext, ReceiverOptions, UnknownEvent } from "../index.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { delivery, ReceivingProcess, secret } from "../../test/receiving-process.ts";

const url = "https://shop.example";
const event = { event: "tryon.completed", job_id: "job_1", status: "succeeded" };
const base = { secrets: secret, onCompleted: () => undefined };

const unsigned = () => new Request(url, { method: "POST", body: "{}" });

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});
afterEach(() => {
  vi.restoreAllMocks();
});
const start = (options?: Partial<ReceiverOptions>): ReceivingProcess =>
  new ReceivingProcess(createMemoryStore({ clock }), clock, options);
/** Fails a handler of a receiver without `onError`. */
const failWithoutCallback = async (error: Error) => {
  const process = start({ onError: undefined });
  await process.deliver();
  await process.fail(error);
};
const silence = (method: "error" | "warn") => vi.spyOn(console, method).mockReturnValue();

describe("with background", () => {
  it("responds with 202 before the event is handled, and handles it once", async () => {
    const process = start({ background: true });
    expect(await process.statusOf()).toBe(202);
    expect(process.calls).toHaveLength(1);
    await process.succeed();
    expect(await process.statusOf()).toBe(204);
    expect(process.errors).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it("reports a failure with 202 and releases the event", async () => {
    const process = start({ background: true });
    await process.deliver();
    const error = new Error("No space left.");
    await process.fail(error);
    expect(process.errors).toEqual([{ error, status: 202 }]);
    expect(await process.statusOf()).toBe(202);
    expect(process.calls).toHaveLength(2);
  });

  it("passes a function the promise of the work, which never rejects", async () => {
    const works: Promise<void>[] = [];
    const process = start({ background: (work) => works.push(work) });
    expect(await process.statusOf()).toBe(202);
    let settled = false;
    const end = works[0]?.then(() => (settled = true));
    await clock.advance(0);
    expect(settled).toBe(false);
    await process.fail();
    await end;
    expect(process.errors).toMatchObject([{ status: 202 }]);
  });

  it("responds with 500 if the store is unreachable", async () => {
    const process = start({ background: true });
    process.store.failing.add("claim");
    expect(await process.statusOf()).toBe(500);
  });
});

describe("onError", () => {
  it.each([
    [
      "throws",
      () => {
        throw new Error("The log is full.");
      },
    ],
    ["rejects", () => Promise.reject(new Error("The log is full."))],
    ["never settles", () => new Promise(() => undefined)],
  ])("does not change the response if it %s", async (_name, onError) => {
    const process = start({ onError });
    const first = await process.deliver();
    process.store.failing.add("release");
    await process.fail();
    expect(first.status).toBe(500);
    const receive = createReceiver({ ...base, onError });
    expect((await receive(new Request(url))).status).toBe(405);
  });

  it("receives an error, whose cause is any other thrown value", async () => {
    const process = start();
    const error = new Error("The disk is full.");
    const foreign = runInNewContext("new Error('The disk is full.')") as Error;
    for (const value of [error, foreign, "text", null, Object.create(null)]) {
      await process.deliver();
      await process.fail(value);
    }
    const received = process.errors.map((reported) => reported.error);
    expect(received[0]).toBe(error);
    expect(received[1]).toBe(foreign);
    expect(received.slice(2)).toEqual([
      new Error("text", { cause: "text" }),
      new Error("The thrown value is not an error.", { cause: null }),
      new Error("The thrown value is not an error.", { cause: Object.create(null) }),
    ]);
  });
});

describe("without onError", () => {
  let warn: ReturnType<typeof silence>;
  beforeEach(() => {
    warn = silence("warn");
  });
  const reports = () => warn.mock.calls.map(([text]) => String(text));

  it("logs only unhandled events with console.error", async () => {
    const log = silence("error");
    await failWithoutCallback(new Error("The disk is full."));
    expect(log).toHaveBeenCalledTimes(1);
    await createReceiver(base)(new Request(url, { method: "GET" }));
    expect(log).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Partial<ReceiverOptions>, () => Request | Promise<Request>, number, string]>([
    ["signature_mismatch", { secrets: "whsec_wrong" }, () => delivery(event), 400, "the secret"],
    ["missing_signature", {}, unsigned, 400, "Pass all headers as they arrived"],
    ["invalid_secret", { secrets: () => undefined }, () => delivery(event), 500, "set `secrets`"],
  ])(
    "reports %s with the fix at once, then at most once a minute with the number",
    async (code, options, request, status, fix) => {
      const receive = createReceiver({ ...base, clock, ...options });
      const send = async () => expect((await receive(await request())).status).toBe(status);
      await send();
      expect(reports()).toEqual([expect.stringContaining(`@tryon/webhooks: ${code}. `)]);
      expect(reports()[0]).toContain(fix);
      expect(reports()[0]).toContain("`onError`");
      for (let times = 0; times < 3; times += 1) await send();
      await clock.advance(59_999);
      await send();
      expect(reports()).toHaveLength(1);
      await clock.advance(1);
      await send();
      expect(reports()[1]).toContain(`${code} (5 since the last report). `);
      await send();
      expect(reports()).toHaveLength(2);
      await clock.advance(60_000);
      await send();
      expect(reports()[2]).toContain(`${code} (2 since the last report). `);
    },
  );

  it("reports each code separately", async () => {
    const receive = createReceiver({ ...base, clock, secrets: "whsec_wrong" });
    await receive(await delivery(event));
    await receive(unsigned());
    expect(reports()).toEqual([
      expect.stringContaining("signature_mismatch"),
      expect.stringContaining("missing_signature"),
    ]);
  });

  it("reports no secret, signature or body, and no cause of invalid_secret", async () => {
    const log = silence("error");
    const request = await delivery({ ...event, job_id: "job_4711" });
    const signature = request.headers.get("x-service-signature") ?? "";
    for (const secrets of ["whsec_wrong", () => Promise.reject(new Error("vault: whsec_wrong"))]) {
      await createReceiver({ ...base, clock, secrets })(request.clone());
    }
    expect(log).not.toHaveBeenCalled();
    expect(reports()).toHaveLength(2);
    expect(warn.mock.calls.every((call) => call.length === 1)).toBe(true);
    for (const report of reports()) {
      for (const part of ["whsec_wrong", secret, signature.slice(7), "4711", "vault"])
        expect(report).not.toContain(part);
    }
  });

  it("logs a WebhookError of a handler like any other error", async () => {
    const log = silence("error");
    await failWithoutCallback(new WebhookError("signature_mismatch", "From the handler."));
    expect(log).toHaveBeenCalledTimes(1);
    expect(reports()).toEqual([]);
  });

  it("reports nothing once onError is set, which receives each error", async () => {
    const onError = vi.fn<(error: Error, status: number) => void>();
    const receive = createReceiver({ ...base, clock, onError });
    for (let times = 0; times < 3; times += 1) await receive(unsigned());
    expect(onError).toHaveBeenCalledTimes(3);
    expect(reports()).toEqual([]);
  });
});

describe("an event of an unknown kind", () => {
  const started = { event: "tryon.started", worker: 4 };

  it("gets 204 without a store call", async () => {
    const process = start();
    expect(await process.statusOf(started)).toBe(204);
    expect([process.store.methods, process.calls]).toEqual([[], []]);
  });

  it.each([
    ["of a job", started, { event: "tryon.started", job_id: "job_1" }],
    ["without a job", { event: "service.notice", job_id: null }, { event: "service.notice" }],
  ])("%s is passed to onUnknown once", async (_name, fields, expected) => {
    const calls: [UnknownEvent, HandlerContext][] = [];
    const process = start({ onUnknown: (...args) => calls.push(args) });
    for (let times = 0; times < 2; times += 1) expect(await process.statusOf(fields)).toBe(204);
    expect(calls).toMatchObject([[expected, { secretIndex: 0 }]]);
  });

  it("is a different event than any other kind or job", async () => {
    const kinds: string[] = [];
    const process = start({ onUnknown: (unknown) => kinds.push(unknown.event) });
    for (const [kind, job_id] of [
      ["a:b", "c"],
      ["a", "b:c"],
      ["a%3Ab", "c"],
    ]) {
      await process.statusOf({ event: kind, job_id });
    }
    expect(kinds).toEqual(["a:b", "a", "a%3Ab"]);
  });

  it("does not count as the completion of its job", async () => {
    const process = start({ onUnknown: () => undefined });
    await process.statusOf(started);
    await process.deliver();
    expect(process.calls).toHaveLength(1);
  });

  it("is handled in addition to another of its kind and job", async () => {
    const progress: unknown[] = [];
    const process = start({ onUnknown: ({ data }) => progress.push(data["percent"]) });
    // The last two are the same JavaScript number.
    const bodies = ["10", "20", "12345678901234567890", "12345678901234567891"];
    for (const percent of [...bodies, ...bodies]) {
      const text = `{"event":"tryon.progress","job_id":"job_1","percent":${percent}}`;
      expect((await process.receive(await delivery(text))).status).toBe(204);
    }
    expect(progress).toEqual(bodies.map(Number));
  });

  it("is handled again after a failure of onUnknown", async () => {
    const onUnknown = vi.fn<() => void>().mockImplementationOnce(() => {
      throw new Error("Failed.");
    });
    const process = start({ onUnknown });
    expect(await process.statusOf(started)).toBe(500);
    expect(await process.statusOf(started)).toBe(204);
    expect(onUnknown).toHaveBeenCalledTimes(2);
  });

  it("is rejected if it is older than maxAge or has no time", async () => {
    const onUnknown = vi.fn<() => void>();
    const process = start({ onUnknown, maxAge: 60_000 });
    const completed_at = new Date(clock.now()).toISOString();
    expect(await process.statusOf(started)).toBe(400);
    expect(await process.statusOf({ ...started, completed_at })).toBe(204);
    clock.skip(60_001);
    expect(await process.statusOf({ ...started, completed_at, worker: 5 })).toBe(400);
    expect(onUnknown).toHaveBeenCalledTimes(1);
    const stale = { error: { code: "stale_event" } };
    expect(process.errors).toMatchObject([stale, stale]);
  });
});

describe("the response", () => {
  const reset = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  it.each([
    ["a WebhookError", new WebhookError("invalid_event", "hunter2")],
    ["a reset connection", new WebhookError("raw_body_required", "hunter2", { cause: reset })],
  ])("to a handler that fails with %s is 500 without its message", async (_name, error) => {
    const process = start();
    const { response } = await process.deliver();
    await process.fail(error);
    expect((await response).status).toBe(500);
    expect(await (await response).json()).toEqual({
      code: "handler_failed",
      message: "The event was not handled. Send it again.",
    });
  });

  it.each(["GET", "PUT", "HEAD", "OPTIONS", "DELETE"])("to %s is 405", async (method) => {
    const process = start();
    const response = await process.receive(new Request(url, { method }));
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(process.errors).toMatchObject([{ status: 405 }]);
    expect(process.store.methods).toEqual([]);
  });

  it.each([{}, { "content-length": "3" }, { "content-length": "many" }])(
    "to a body over the limit with the headers %j is 413",
    async (declared) => {
      const request = await delivery({ ...event, padding: "x".repeat(1_000) });
      const headers = { ...Object.fromEntries(request.headers), ...declared };
      const receive = createReceiver({ ...base, maxBodyBytes: 500 });
      expect((await receive(new Request(request, { headers }))).status).toBe(413);
    },
  );

  it("to a forgery is 400, without a store call", async () => {
    const process = start({ secrets: "whsec_other" });
    const { response } = await process.deliver();
    expect((await response).status).toBe(400);
    expect(await (await response).json()).toMatchObject({ code: "signature_mismatch" });
    expect([process.store.methods, process.calls]).toEqual([[], []]);
  });
});

describe("secrets", () => {
  it("are requested for each delivery if they are a function", async () => {
    const secrets = vi.fn<() => (string | undefined)[]>(() => [undefined, secret]);
    const process = start({ secrets });
    await process.deliver();
    await process.deliver({ job_id: "job_2" });
    expect(secrets).toHaveBeenCalledTimes(2);
    expect(process.calls.map(({ context }) => context.secretIndex)).toEqual([1, 1]);
  });

  it.each([
    ["returns nothing", () => undefined],
    ["returns a blank one", () => " "],
    [
      "throws",
      () => {
        throw new Error("The vault is closed: hunter2");
      },
    ],
    ["rejects", () => Promise.reject(new Error("The vault is closed: hunter2"))],
  ])("lead to 500 if their function %s", async (_name, secrets) => {
    const process = start({ secrets });
    const { response } = await process.deliver();
    expect((await response).status).toBe(500);
    expect(await (await response).text()).not.toContain("hunter2");
    expect(process.errors).toMatchObject([{ error: { code: "invalid_secret" }, status: 500 }]);
    expect(process.calls).toEqual([]);
  });

  it.each([[undefined], [""], ["\n"], [[]], [[undefined]], [[secret, ""]], ["null"]])(
    "of %j are rejected when the receiver is created",
    (secrets) => {
      expect(() => createReceiver({ ...base, secrets })).toThrow(/^A secret is missing/);
    },
  );
});
