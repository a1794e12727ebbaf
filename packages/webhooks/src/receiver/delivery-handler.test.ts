import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MockInstance } from "vitest";
import { createMemoryStore, createReceiver, WebhookError } from "../index.ts";
import type { HandlerContext, ReceiverOptions, UnknownEvent } from "../index.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { delivery, ReceivingProcess, secret } from "../../test/receiving-process.ts";

const event = { event: "tryon.completed", job_id: "job_1", status: "succeeded" };
const base = { secrets: secret, onCompleted: () => undefined };

const unsigned = () => new Request("https://shop.example", { method: "POST", body: "{}" });

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});
const start = (options?: Partial<ReceiverOptions>): ReceivingProcess =>
  new ReceivingProcess(createMemoryStore({ clock }), clock, options);

describe("in the background", () => {
  it("is answered 202 before the event is handled, and handled once all the same", async () => {
    const process = start({ background: true });
    expect((await process.deliver()).status).toBe(202);
    expect(process.works).toHaveLength(1);
    process.works[0]?.succeed();
    await clock.advance(0);
    expect((await process.deliver()).status).toBe(204);
    expect(process.errors).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it("a failure goes to onError with 202, and gives the event up", async () => {
    const process = start({ background: true });
    await process.deliver();
    const error = new Error("No space left.");
    process.works[0]?.fail(error);
    await clock.advance(0);
    expect(process.errors).toEqual([{ error, status: 202 }]);
    expect((await process.deliver()).status).toBe(202);
    expect(process.works).toHaveLength(2);
  });

  it("a function is given the promise of the work, which never rejects", async () => {
    const works: Promise<void>[] = [];
    const process = start({ background: (work) => works.push(work) });
    expect((await process.deliver()).status).toBe(202);
    let settled = false;
    const end = works[0]?.then(() => (settled = true));
    await clock.advance(0);
    expect(settled).toBe(false);
    process.works[0]?.fail();
    await end;
    expect(process.errors).toMatchObject([{ status: 202 }]);
  });

  it("a store that cannot be reached is answered 500, since nothing was begun", async () => {
    const process = start({ background: true });
    process.store.failing.add("claim");
    expect((await process.deliver()).status).toBe(500);
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
    ["never ends", () => new Promise(() => undefined)],
  ])("that %s changes nothing", async (_name, onError) => {
    const process = start({ onError });
    const first = await process.deliver();
    process.store.failing.add("release");
    process.works[0]?.fail();
    await clock.advance(0);
    expect(first.status).toBe(500);
    const receive = createReceiver({ ...base, onError });
    expect((await receive(new Request("https://shop.example"))).status).toBe(405);
  });

  it("is told what was thrown as it is, or an error around what is none", async () => {
    const process = start();
    const thrown = new Error("The disk is full.");
    for (const what of [thrown, "a text", undefined]) {
      await process.deliver();
      process.works.at(-1)?.fail(what);
      await clock.advance(0);
    }
    const [first, ...others] = process.errors;
    expect(first?.error).toBe(thrown);
    expect(others.map(({ error }) => error)).toMatchObject([
      { message: "A value that is not an Error was thrown. See the cause.", cause: "a text" },
      { message: "The handler failed." },
    ]);
  });

  it("is not needed: without one, an event that was not handled goes to console.error", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    try {
      const process = start({ onError: undefined });
      await process.deliver();
      process.works[0]?.fail(new Error("The disk is full."));
      await clock.advance(0);
      expect(log).toHaveBeenCalledTimes(1);
      const receive = createReceiver(base);
      await receive(new Request("https://shop.example", { method: "GET" }));
      expect(log).toHaveBeenCalledTimes(1);
    } finally {
      log.mockRestore();
    }
  });
});

describe("a receiver without onError", () => {
  let warn: MockInstance<typeof console.warn>;
  beforeEach(() => {
    warn = vi.spyOn(console, "warn").mockReturnValue();
  });
  afterEach(() => {
    warn.mockRestore();
  });
  const reports = () => warn.mock.calls.map(([text]) => String(text));

  it.each<[string, Partial<ReceiverOptions>, () => Request | Promise<Request>, number, string]>([
    ["signature_mismatch", { secrets: "whsec_wrong" }, () => delivery(event), 400, "the secret"],
    ["missing_signature", {}, unsigned, 400, "Pass all headers as they arrived"],
    ["invalid_secret", { secrets: () => undefined }, () => delivery(event), 500, "Set `secrets`"],
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

  it("reports each code by itself", async () => {
    const receive = createReceiver({ ...base, clock, secrets: "whsec_wrong" });
    await receive(await delivery(event));
    await receive(unsigned());
    expect(reports()).toEqual([
      expect.stringContaining("signature_mismatch"),
      expect.stringContaining("missing_signature"),
    ]);
  });

  it("reports no secret, signature, body, and nothing of what failed while a secret was read", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    try {
      const request = await delivery({ ...event, job_id: "job_4711" });
      const signature = request.headers.get("x-service-signature") ?? "";
      for (const secrets of [
        "whsec_wrong",
        () => Promise.reject(new Error("vault: whsec_wrong")),
      ]) {
        await createReceiver({ ...base, clock, secrets })(request.clone());
      }
      expect(error).not.toHaveBeenCalled();
      expect(reports()).toHaveLength(2);
      expect(warn.mock.calls.every((call) => call.length === 1)).toBe(true);
      for (const report of reports()) {
        for (const part of ["whsec_wrong", secret, signature.slice(7), "4711", "vault"])
          expect(report).not.toContain(part);
      }
    } finally {
      error.mockRestore();
    }
  });

  it("logs an error of this package that a handler throws like any other", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    try {
      const process = start({ onError: undefined });
      await process.deliver();
      process.works[0]?.fail(new WebhookError("signature_mismatch", "Of another one."));
      await clock.advance(0);
      expect(error).toHaveBeenCalledTimes(1);
      expect(reports()).toEqual([]);
    } finally {
      error.mockRestore();
    }
  });

  it("reports nothing when onError is given, which receives each error", async () => {
    const onError = vi.fn<(error: unknown, status: number) => void>();
    const receive = createReceiver({ ...base, clock, onError });
    for (let times = 0; times < 3; times += 1) await receive(unsigned());
    expect(onError).toHaveBeenCalledTimes(3);
    expect(reports()).toEqual([]);
  });
});

describe("an event of a kind that is not known", () => {
  const started = { event: "tryon.started", worker: 4 };

  it("is answered 204 and left, without asking the store", async () => {
    const process = start();
    expect((await process.deliver(started)).status).toBe(204);
    expect([process.store.steps, process.works]).toEqual([[], []]);
  });

  it("goes to onUnknown, once", async () => {
    const seen: [UnknownEvent, HandlerContext][] = [];
    const process = start({ onUnknown: (...call) => seen.push(call) });
    for (let time = 0; time < 2; time += 1) {
      expect((await (await process.deliver(started)).answer).status).toBe(204);
    }
    expect(seen).toMatchObject([[{ event: "tryon.started", job_id: "job_1" }, { secretIndex: 0 }]]);
  });

  it("is told apart from all others, whatever they are called", async () => {
    const seen: string[] = [];
    const process = start({ onUnknown: ({ event: kind }) => seen.push(kind) });
    for (const [kind, job_id] of [
      ["a:b", "c"],
      ["a", "b:c"],
      ["a%3Ab", "c"],
    ]) {
      await (
        await process.deliver({ event: kind, job_id })
      ).answer;
    }
    expect(seen).toEqual(["a:b", "a", "a%3Ab"]);
  });

  it("is not taken for the completion of its job", async () => {
    const process = start({ onUnknown: () => undefined });
    await (
      await process.deliver(started)
    ).answer;
    await process.deliver();
    expect(process.works).toHaveLength(1);
  });

  it("is handled once without a job when it is delivered again", async () => {
    const onUnknown = vi.fn<() => void>();
    const process = start({ onUnknown });
    const jobless = { event: "service.notice", job_id: null };
    for (let time = 0; time < 2; time += 1) {
      expect((await (await process.deliver(jobless)).answer).status).toBe(204);
    }
    expect(onUnknown).toHaveBeenCalledTimes(1);
  });

  it("is handled beside another one of its kind and job", async () => {
    const progress: unknown[] = [];
    const process = start({ onUnknown: ({ data }) => progress.push(data["percent"]) });
    // As numbers of JavaScript the last two are the same.
    const bodies = ["10", "20", "12345678901234567890", "12345678901234567891"];
    for (const percent of [...bodies, ...bodies]) {
      const text = `{"event":"tryon.progress","job_id":"job_1","percent":${percent}}`;
      expect((await process.receive(await delivery(text))).status).toBe(204);
    }
    expect(progress).toEqual(bodies.map(Number));
  });

  it("is handled again when onUnknown failed", async () => {
    const onUnknown = vi.fn<() => void>().mockImplementationOnce(() => {
      throw new Error("No.");
    });
    const process = start({ onUnknown });
    expect((await (await process.deliver(started)).answer).status).toBe(500);
    expect((await (await process.deliver(started)).answer).status).toBe(204);
    expect(onUnknown).toHaveBeenCalledTimes(2);
  });

  it("is refused when it is older than maxAge, or has no time", async () => {
    const onUnknown = vi.fn<() => void>();
    const process = start({ onUnknown, maxAge: 60_000 });
    const completed_at = new Date(clock.now()).toISOString();
    expect((await process.deliver(started)).status).toBe(400);
    expect((await (await process.deliver({ ...started, completed_at })).answer).status).toBe(204);
    clock.skip(60_001);
    expect((await process.deliver({ ...started, completed_at, worker: 5 })).status).toBe(400);
    expect(onUnknown).toHaveBeenCalledTimes(1);
    expect(process.errors).toMatchObject([
      { error: { code: "stale_event" } },
      { error: { code: "stale_event" } },
    ]);
  });
});

describe("a delivery is answered", () => {
  it("500, and not 400, when the handler throws an error of this package", async () => {
    const process = start();
    const attempt = await process.deliver();
    process.works[0]?.fail(new WebhookError("invalid_event", "Of another one."));
    const answer = await attempt.answer;
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      code: "handler_failed",
      message: "The event was not handled. Send it again.",
    });
  });

  it("500, and not 400, when a connection of the handler was reset", async () => {
    const process = start();
    const attempt = await process.deliver();
    const cause = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
    process.works[0]?.fail(new WebhookError("raw_body_required", "Of another one.", { cause }));
    expect((await attempt.answer).status).toBe(500);
  });

  it("500 without a word of what the handler threw", async () => {
    const process = start();
    const attempt = await process.deliver();
    process.works[0]?.fail(new Error("password=hunter2"));
    expect(await (await attempt.answer).text()).not.toContain("hunter2");
  });

  it.each(["GET", "PUT", "HEAD", "OPTIONS", "DELETE"])("405 by %s", async (method) => {
    const process = start();
    const errors: number[] = [];
    const receive = createReceiver({
      ...base,
      store: process.store,
      onError: (_error, status) => errors.push(status),
    });
    const answer = await receive(new Request("https://shop.example", { method }));
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    expect([errors, process.store.steps]).toEqual([[405], []]);
  });

  it("413 by its declared length, without reading", async () => {
    const pull = vi.fn<(controller: ReadableStreamDefaultController<Uint8Array>) => void>(
      (controller) => controller.enqueue(new Uint8Array(10)),
    );
    const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
    const headers = { "content-length": "1048577" };
    // `duplex` is asked for by Node and is not in the types of the platform.
    const settings = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    const answer = await createReceiver(base)(new Request("https://shop.example", settings));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ code: "body_too_large" });
    expect(pull).not.toHaveBeenCalled();
  });

  it("413 by what came, where no length or a wrong one was declared", async () => {
    for (const declared of [{}, { "content-length": "3" }, { "content-length": "many" }]) {
      const request = await delivery({ ...event, padding: "x".repeat(1_000) });
      const headers = { ...Object.fromEntries(request.headers), ...declared };
      const receive = createReceiver({ ...base, maxBodyBytes: 500 });
      const answer = await receive(new Request(request, { headers }));
      expect(answer.status).toBe(413);
    }
  });

  it("400 when it is forged, and the store is not asked", async () => {
    const process = start({ secrets: "whsec_other" });
    const attempt = await process.deliver();
    expect(attempt.status).toBe(400);
    expect(await (await attempt.answer).json()).toMatchObject({ code: "signature_mismatch" });
    expect([process.store.steps, process.works]).toEqual([[], []]);
  });
});

describe("secrets", () => {
  it("that are a function are asked for at each delivery", async () => {
    const secrets = vi.fn<() => (string | undefined)[]>(() => [undefined, secret]);
    const process = start({ secrets });
    await process.deliver();
    await process.deliver({ job_id: "job_2" });
    expect(secrets).toHaveBeenCalledTimes(2);
    expect(process.works.map(({ context }) => context.secretIndex)).toEqual([1, 1]);
  });

  it.each([
    ["gives nothing", () => undefined],
    ["gives a blank one", () => " "],
    [
      "throws",
      () => {
        throw new Error("The vault is shut: hunter2");
      },
    ],
    ["rejects", () => Promise.reject(new Error("The vault is shut: hunter2"))],
  ])("by a function that %s are answered 500", async (_name, secrets) => {
    const process = start({ secrets });
    const attempt = await process.deliver();
    expect(attempt.status).toBe(500);
    expect(await (await attempt.answer).text()).not.toContain("hunter2");
    expect(process.errors).toMatchObject([{ error: { code: "invalid_secret" }, status: 500 }]);
    expect(process.works).toEqual([]);
  });

  it.each([[undefined], [""], ["\n"], [[]], [[undefined]], [[secret, ""]], ["null"]])(
    "of %j are refused when the receiver is made",
    (secrets) => {
      expect(() => createReceiver({ ...base, secrets })).toThrow(/^A secret is missing/);
    },
  );
});

describe("an option that cannot be is refused by its name:", () => {
  const refused: [string, object][] = [
    ["onCompleted", { onCompleted: undefined }],
    ["onUnknown", { onUnknown: "log" }],
    ["onError", { onError: {} }],
    ...["claimTtl", "claimWait", "dedupeTtl"].flatMap((name) =>
      [0, -1, Number.NaN, Infinity, "5s"].map((value): [string, object] => [
        name,
        { [name]: value },
      ]),
    ),
  ];
  it.each(refused)("%s of %j", (name, options) => {
    // What the types forbid and JavaScript allows.
    const given = { ...base, ...options } as ReceiverOptions;
    expect(() => createReceiver(given)).toThrow(new RegExp(`^${name}: .*(?:Pass|Leave)`));
  });
});
