import * as fc from "fast-check";
import { expect, it } from "vitest";
import { isWebhookError, safeVerify, sign, verify } from "../index.ts";
import type { VerifyOptions } from "../index.ts";

const body = JSON.stringify({ event: "tryon.completed", job_id: "job_1", status: "succeeded" });
const secrets = "whsec_test";
const signature = await sign({ body, secret: secrets });
const headers = { "X-Service-Signature": signature };

/** What a delivery with these comes to; fails where that is no outcome of verification. */
async function codeOf(options: object): Promise<string> {
  // Any value at all is what this is about.
  const outcome = await safeVerify(options as VerifyOptions);
  return outcome.ok ? "ok" : outcome.code;
}

function fail(): never {
  throw new Error("hostile");
}

/** Throws at whatever is done with it. */
const hostile = new Proxy(
  {},
  Object.fromEntries(Reflect.ownKeys(Reflect).map((trap) => [trap, fail])),
);
const revoked = Proxy.revocable({}, {});
revoked.revoke();

const oddities: readonly unknown[] = [
  hostile,
  revoked.proxy,
  fail,
  Symbol("odd"),
  1n,
  new Date(Number.NaN),
  Object.create(null),
  new Map([["x-service-signature", hostile]]),
  [hostile],
  [signature, null, hostile],
  { "x-service-signature": hostile },
  {
    get "x-service-signature"() {
      return fail();
    },
  },
  { bodyUsed: false, arrayBuffer: () => hostile },
  { bodyUsed: false, body: hostile },
  { bodyUsed: false, body: { getReader: () => ({ read: async () => undefined }) } },
  { [Symbol.asyncIterator]: () => undefined },
  { [Symbol.asyncIterator]: () => ({ next: () => hostile }) },
  { [Symbol.asyncIterator]: () => ({ next: () => ({ done: false, value: "text" }) }) },
  { [Symbol.toStringTag]: "ArrayBuffer", length: 1e12 },
  { headers: hostile, rawBody: hostile },
  "\ud800",
  new Uint8Array(0),
  new ArrayBuffer(8),
];

/** Given as functions, since fast-check itself looks into the values that it makes. */
const odd: fc.Arbitrary<() => unknown> = fc.oneof(
  fc.constantFrom(...oddities.map((value) => () => value)),
  fc.string({ unit: "binary" }).map((value) => () => value),
  fc
    .anything({
      withNullPrototype: true,
      withTypedArray: true,
      withMap: true,
      withSparseArray: true,
    })
    .map((value) => () => value),
);

const codes = ["missing_signature", "malformed_signature", "multiple_signatures"];

it("whatever comes as headers, nothing but a refusal comes of it", async () => {
  const property = fc.asyncProperty(odd, async (value) => {
    const code = await codeOf({ body, headers: value(), secrets });
    expect(codes).toContain(code);
  });
  await fc.assert(property, { numRuns: 1000 });
});

it("whatever comes as the signature header, nothing but a refusal comes of it", async () => {
  const property = fc.asyncProperty(odd, async (value) => {
    const code = await codeOf({ body, headers: { "x-service-signature": value() }, secrets });
    expect(codes).toContain(code);
  });
  await fc.assert(property, { numRuns: 1000 });
});

it("whatever comes as the body, nothing but a refusal comes of it", async () => {
  const property = fc.asyncProperty(odd, async (value) => {
    const code = await codeOf({ body: value(), headers, secrets });
    expect(["raw_body_required", "signature_mismatch"]).toContain(code);
  });
  await fc.assert(property, { numRuns: 1000 });
});

it("whatever comes as secrets, nothing but a refusal comes of it", async () => {
  const odds = fc.oneof(fc.anything(), fc.string({ unit: "binary" }), fc.array(fc.string()));
  const property = fc.asyncProperty(odds, async (value) => {
    const code = await codeOf({ body, headers, secrets: value });
    expect(["invalid_secret", "signature_mismatch"]).toContain(code);
  });
  await fc.assert(property, { numRuns: 1000 });
});

it("whatever is signed, an event or a refusal comes of it", async () => {
  const field = fc.oneof(fc.constantFrom("tryon.completed", "succeeded", ""), fc.jsonValue());
  const events = fc.record({ event: field, job_id: field, status: field, completed_at: field });
  const signed = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.json(),
    events.map((event) => JSON.stringify(event)),
  );
  const property = fc.asyncProperty(signed, async (value) => {
    const signedHeaders = { "x-service-signature": await sign({ body: value, secret: secrets }) };
    const code = await codeOf({ body: value, headers: signedHeaders, secrets, maxAge: 1000 });
    expect(["ok", "invalid_json", "invalid_event", "stale_event"]).toContain(code);
  });
  await fc.assert(property, { numRuns: 1000 });
});

it("verify throws what safeVerify gives", async () => {
  const property = fc.asyncProperty(odd, odd, async (oddBody, oddHeader) => {
    const oddHeaders = { "x-service-signature": oddHeader() };
    // Any value at all is what this is about.
    const options = { body: oddBody(), headers: oddHeaders, secrets } as VerifyOptions;
    const outcome = await safeVerify(options);
    const caught = await verify(options).catch((error: unknown) => error);
    expect(outcome.ok).toBe(false);
    expect(isWebhookError(caught) && caught.toJSON()).toMatchObject({
      code: outcome.ok || outcome.code,
      message: outcome.ok || outcome.message,
    });
  });
  await fc.assert(property);
});
