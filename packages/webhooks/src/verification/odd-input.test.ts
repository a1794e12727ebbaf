import * as fc from "fast-check";
import { expect, it } from "vitest";
import { isWebhookError, safeVerify, sign, verify, type VerifyOptions } from "../index.ts";
import { hostile as createHostile, throwHostile } from "../../test/fuzz/forms.ts";
import { safeVerifySync, type VerifySyncOptions } from "../node/index.ts";
import {
  completed as body,
  completedHeaders as headers,
  secret as secrets,
} from "../../test/events.ts";

const signature = headers["X-Service-Signature"];

/** Verifies with both back ends and returns the code, which must be the same. */
async function codeOf(options: object): Promise<string> {
  // Values that the types forbid and JavaScript allows.
  const outcome = await safeVerify(options as VerifyOptions);
  const synchronous = safeVerifySync(options as VerifySyncOptions);
  // Each back end has its own message for bodies without bytes.
  const message = "code" in outcome && outcome.code === "raw_body_required" && { message: "" };
  expect({ ...synchronous, ...message }).toEqual({ ...outcome, ...message });
  return outcome.ok ? "ok" : outcome.code;
}

const hostile = createHostile();
const revoked = Proxy.revocable({}, {});
revoked.revoke();

const oddities: readonly unknown[] = [
  hostile,
  revoked.proxy,
  throwHostile,
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
      return throwHostile();
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

/** Functions that return a value, because fast-check reads the values that it draws. */
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

const oddSecrets = fc
  .oneof(fc.anything(), fc.string({ unit: "binary" }), fc.array(fc.string()))
  .map((value) => () => value);
const headerCodes = ["missing_signature", "malformed_signature", "multiple_signatures"];

it.each<[string, fc.Arbitrary<() => unknown>, (value: unknown) => object, string[]]>([
  ["headers", odd, (value) => ({ headers: value }), headerCodes],
  ["a signature", odd, (value) => ({ headers: { "x-service-signature": value } }), headerCodes],
  ["a body", odd, (value) => ({ body: value }), ["raw_body_required", "signature_mismatch"]],
  [
    "secrets",
    oddSecrets,
    (value) => ({ secrets: value }),
    ["invalid_secret", "signature_mismatch"],
  ],
])("rejects any value as %s, with both back ends", async (_name, arbitrary, optionsOf, codes) => {
  const property = fc.asyncProperty(arbitrary, async (value) => {
    expect(codes).toContain(await codeOf({ body, headers, secrets, ...optionsOf(value()) }));
  });
  await fc.assert(property, { numRuns: 1000 });
});

it("returns an event or rejects any signed bytes", async () => {
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

it("throws in verify the error that safeVerify returns", async () => {
  const property = fc.asyncProperty(odd, odd, async (oddBody, oddHeader) => {
    const oddHeaders = { "x-service-signature": oddHeader() };
    // Values that the types forbid and JavaScript allows.
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
