import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { safeVerify, sign, verify } from "../index.ts";
import type { VerifyOptions } from "../index.ts";

const secrets = "whsec_test";
const body = JSON.stringify({ event: "tryon.completed", job_id: "job_1", status: "succeeded" });
const bytes = new TextEncoder().encode(body);
const headers = { "X-Service-Signature": await sign({ body, secret: secrets }) };
const request = () => new Request("https://shop.example", { method: "POST", headers, body });

/** For what the types forbid, and JavaScript allows. */
const untyped = (value: unknown) => safeVerify({ body: value, headers, secrets } as VerifyOptions);

describe("a body that was parsed before it was verified", () => {
  it.each([
    ["an object", { event: "tryon.completed", job_id: "job_1", status: "succeeded" }],
    ["an array", [1, 2, 3]],
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
    ["form data", new FormData()],
    ["a stream of text", new Blob([body]).stream().pipeThrough(new TextDecoderStream())],
  ])(
    "is refused when it is %s, and the message names the frameworks and the fix",
    async (_, value) => {
      const outcome = await untyped(value);
      expect(outcome).toMatchObject({ ok: false, code: "raw_body_required" });
      for (const fix of [
        'Express: express.raw({ type: "*/*" })',
        'Fastify: parseAs: "buffer"',
        "Koa: ctx.req",
        "Next.js, Hono",
      ]) {
        expect(outcome).toHaveProperty("message", expect.stringContaining(fix));
      }
    },
  );
});

describe("a Request", () => {
  it("brings its headers along", async () => {
    expect(await verify({ body: request(), secrets })).toMatchObject({ job_id: "job_1" });
  });

  it("gives way to headers that are passed besides", async () => {
    const outcome = await safeVerify({ body: request(), headers: {}, secrets });
    expect(outcome).toMatchObject({ code: "missing_signature" });
  });

  it("is read only once its signature header is well formed", async () => {
    const unread = request();
    unread.headers.set("x-service-signature", "sha256=");
    await safeVerify({ body: unread, secrets });
    expect(unread.bodyUsed).toBe(false);
  });

  it.each([
    ["json()", (read: Request) => read.json()],
    ["text()", (read: Request) => read.text()],
    [
      "a reader that has let go of it",
      async (read: Request) => {
        const reader = read.body?.getReader();
        await reader?.read();
        reader?.releaseLock();
      },
    ],
    ["verify()", (read: Request) => verify({ body: read, secrets })],
  ])("that was read by %s is refused", async (_, readBefore) => {
    const read = request();
    await readBefore(read);
    const outcome = await safeVerify({ body: read, secrets });
    expect(outcome).toMatchObject({ ok: false, code: "raw_body_required" });
  });

  it("that somebody is reading is refused", async () => {
    const locked = request();
    locked.body?.getReader();
    const outcome = await safeVerify({ body: locked, secrets });
    expect(outcome).toMatchObject({ ok: false, code: "raw_body_required" });
  });

  it("can be kept by verifying its clone", async () => {
    const kept = request();
    await verify({ body: kept.clone(), secrets });
    expect(await kept.text()).toBe(body);
  });

  it("without a body has an empty one", async () => {
    const empty = new Request("https://shop.example", { method: "POST", headers });
    const outcome = await safeVerify({ body: empty, secrets });
    expect(outcome).toMatchObject({ code: "signature_mismatch" });
  });

  it("without streams, as in Firefox, is read at once", async () => {
    const whole = { headers, bodyUsed: false, arrayBuffer: async () => bytes.buffer };
    expect(await untyped(whole)).toMatchObject({ ok: true });
  });
});

it("the bytes that a framework kept are taken, under either name", async () => {
  const parsed = { headers, body: JSON.parse(body) as unknown };
  for (const rawBody of [Buffer.from(body), body]) {
    const read = Object.assign(new PassThrough(), parsed, { rawBody });
    expect(await untyped(read)).toMatchObject({ ok: true });
  }
  expect(await untyped({ headers, body: Buffer.from(body) })).toMatchObject({ ok: true });
});

it("a parsed body that has the fields of a request is refused", async () => {
  const sent = { headers, rawBody: body, event: "tryon.completed", job_id: "job_1" };
  const parsed: unknown = JSON.parse(JSON.stringify(sent));
  const refusal = { ok: false, code: "raw_body_required" };
  // The types forbid it, and the parsers of frameworks give `any`.
  const options = { body: parsed, secrets } as VerifyOptions;
  expect(await safeVerify(options)).toMatchObject(refusal);
  expect(await untyped(parsed)).toMatchObject(refusal);
  // A parser may make an instance of a class.
  const instance = Object.assign(Object.create({}) as object, parsed);
  expect(await untyped(instance)).toMatchObject(refusal);
});

it("bytes that change while they are verified do not change what was verified", async () => {
  const buffer = bytes.slice();
  const verifying = verify({
    body: buffer,
    headers,
    secrets: async () => {
      setTimeout(() => buffer.fill(0x20));
      return secrets;
    },
  });
  expect(await verifying).toMatchObject({ job_id: "job_1" });
});

it("bytes in memory that are shared between threads are verified as any others", async () => {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  expect(await verify({ body: shared, headers, secrets })).toMatchObject({ job_id: "job_1" });
  expect(await sign({ body: shared, secret: secrets })).toBe(headers["X-Service-Signature"]);
});

it.each([NaN, -1, 0])("a bound of %s lets nothing through", async (maxBodyBytes) => {
  const outcome = await safeVerify({ body, headers, secrets, maxBodyBytes });
  expect(outcome).toMatchObject({ ok: false, code: "body_too_large" });
});

it("what cannot be signed is refused", async () => {
  const object = { body: { event: "tryon.completed" }, secret: secrets };
  // Forbidden by the types.
  const signing = sign(object as unknown as Parameters<typeof sign>[0]);
  await expect(signing).rejects.toMatchObject({ code: "raw_body_required" });
  await expect(sign({ body, secret: " " })).rejects.toMatchObject({ code: "invalid_secret" });
});
