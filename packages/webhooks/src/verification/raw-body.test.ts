import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  completed as body,
  completedHeaders as headers,
  secret as secrets,
} from "../../test/events.ts";
import { withoutNodeCrypto } from "../../test/without-node-crypto.ts";
import { safeVerify, sign, verify, type VerifyOptions } from "../index.ts";

const bytes = new TextEncoder().encode(body);
const request = () => new Request("https://shop.example", { method: "POST", headers, body });
const rejection = { ok: false, code: "raw_body_required" };

/** Verifies values that the types forbid and JavaScript allows. */
const untyped = (value: unknown) => safeVerify({ body: value, headers, secrets } as VerifyOptions);

const revoked = Proxy.revocable({}, {});
revoked.revoke();

it.each([
  ["a proxy that throws", revoked.proxy],
  ["a parsed object", { event: "tryon.completed", job_id: "job_1", status: "succeeded" }],
  ["undefined", undefined],
  ["null", null],
  ["form data", new FormData()],
  ["a stream of text", new Blob([body]).stream().pipeThrough(new TextDecoderStream())],
])("rejects %s, with the fix for each framework", async (_, value) => {
  const outcome = await untyped(value);
  expect(outcome).toMatchObject(rejection);
  for (const fix of [
    'Express: express.raw({ type: "*/*" })',
    'Fastify: parseAs: "buffer"',
    "Koa: ctx.req",
    "Next.js, Hono",
  ]) {
    expect(outcome).toHaveProperty("message", expect.stringContaining(fix));
  }
});

describe("a Request", () => {
  it("has its own headers, which other headers replace", async () => {
    expect(await verify({ body: request(), secrets })).toMatchObject({ job_id: "job_1" });
    const outcome = await safeVerify({ body: request(), headers: {}, secrets });
    expect(outcome).toMatchObject({ code: "missing_signature" });
  });

  it("is not read if its signature is malformed", async () => {
    const unread = request();
    unread.headers.set("x-service-signature", "sha256=");
    await safeVerify({ body: unread, secrets });
    expect(unread.bodyUsed).toBe(false);
  });

  it.each<[string, (read: Request) => unknown]>([
    ["read by json()", (read) => read.json()],
    [
      "read by a released reader",
      async (read) => {
        const reader = read.body?.getReader();
        await reader?.read();
        reader?.releaseLock();
      },
    ],
    ["locked by a reader", (read) => read.body?.getReader()],
  ])("is rejected if it was %s", async (_, readBefore) => {
    const read = request();
    await readBefore(read);
    const message =
      "The body is not bytes: it was parsed, read before or incomplete. Verify the Request before other code reads it, or a clone that was made before.";
    expect(await safeVerify({ body: read, secrets })).toMatchObject({ ...rejection, message });
  });

  it("stays unread if its clone is verified", async () => {
    const kept = request();
    await verify({ body: kept.clone(), secrets });
    expect(await kept.text()).toBe(body);
  });

  it("without a body has an empty one", async () => {
    const empty = new Request("https://shop.example", { method: "POST", headers });
    const outcome = await safeVerify({ body: empty, secrets });
    expect(outcome).toMatchObject({ code: "signature_mismatch" });
  });

  it("without streams, as in older versions of Firefox, is read", async () => {
    const whole = { headers, bodyUsed: false, arrayBuffer: async () => bytes.buffer };
    expect(await untyped(whole)).toMatchObject({ ok: true });
  });
});

it("has a cause that names why the bytes are missing", async () => {
  const read = request();
  await read.text();
  await expect(verify({ body: read, headers, secrets })).rejects.toMatchObject({
    cause: { message: "The body was read before." },
  });
});

it("parses the verified bytes, even if their buffer changes during verification", async () => {
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

it.each([
  ["no process, as in a page", undefined],
  ["the process of a bundler", {}],
  ["a node:crypto without HMAC", { getBuiltinModule: () => ({}) }],
])("verifies with %s", async (_name, process) => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("process", process);
  expect(await verify({ body, headers, secrets })).toMatchObject({ job_id: "job_1" });
});

it("verifies and signs bytes that threads share", async () => {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  expect(await verify({ body: shared, headers, secrets })).toMatchObject({ job_id: "job_1" });
  expect(await sign({ body: shared, secret: secrets })).toBe(headers["X-Service-Signature"]);
});

it("signs the bytes at the time of the call, also without node:crypto", async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  withoutNodeCrypto();
  const buffer = bytes.slice();
  const signing = sign({ body: buffer, secret: secrets });
  buffer.fill(0x20);
  expect(await signing).toBe(headers["X-Service-Signature"]);
});

it("names the function whose option is unknown", async () => {
  const options = { body, headers, secrets, maxAgo: "5m" };
  await expect(verify(options)).rejects.toThrow(/an option of verify.*maxAge/);
});

it("does not sign an object, and names the fix", async () => {
  // The types forbid an object and JavaScript allows it.
  const event: unknown = { event: "tryon.completed" };
  await expect(sign({ body: event as string, secret: secrets })).rejects.toMatchObject({
    code: "raw_body_required",
    message: expect.stringContaining("JSON.stringify") as unknown,
  });
});
