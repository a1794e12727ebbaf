import * as fc from "fast-check";
import { expect, it } from "vitest";
import { safeVerify, sign } from "../index.ts";
import type { VerifyOptions } from "../index.ts";
import { safeVerifySync } from "./index.ts";
import type { VerifySyncOptions } from "./index.ts";

const secret = "whsec_test";
const completed_at = "2026-03-01T12:00:08Z";
const end = Date.parse(completed_at);

const field = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("tryon.completed", "job_1", "succeeded", "failed") },
  fc.jsonValue(),
);
const events = fc.record(
  { event: field, job_id: field, status: field, completed_at: field, result_url: field },
  { requiredKeys: [] },
);
const good = { event: "tryon.completed", job_id: "job_1", status: "succeeded", completed_at };
const signedBytes = fc.oneof(
  { weight: 4, arbitrary: fc.constant(good).map((event) => Buffer.from(JSON.stringify(event))) },
  events.map((event) => Buffer.from(JSON.stringify(event))),
  fc.json().map((text) => Buffer.from(text)),
  fc.string({ unit: "binary" }).map((text) => Buffer.from(`\ufeff"${text}"`)),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
);

/** What is done to the value of the signature header on its way. */
const signatures = fc.oneof(
  { weight: 5, arbitrary: fc.constant((value: string): unknown => value) },
  fc.constantFrom<Array<(value: string) => unknown>>(
    (value) => value.toUpperCase(),
    (value) => `sha256=${value.slice(7).toUpperCase()}`,
    (value) => `${value}, ${value}`,
    (value) => [value, value],
    (value) => [value],
    (value) => ` ${value}`,
    (value) => `${value}\n`,
    (value) => value.slice(7),
    (value) => value.slice(0, -1),
    () => undefined,
    () => "",
    () => 7,
  ),
  fc.tuple(fc.nat(70), fc.string({ unit: "binary", minLength: 1, maxLength: 1 })).map(
    ([at, other]) =>
      (value: string) =>
        value.slice(0, at) + other + value.slice(at + 1),
  ),
);

const deliveries = fc.record({
  bytes: signedBytes,
  signature: signatures,
  flipped: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.nat()),
  name: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom("x-service-signature", "X-SERVICE-Signature") },
    fc.constant("x"),
  ),
  more: fc.dictionary(
    fc.constantFrom("X-Service-Event", "x-service-job-id", "x-service-signature", "host"),
    fc.oneof(fc.constantFrom("tryon.completed", "job_1"), fc.string()),
    { maxKeys: 2 },
  ),
  form: fc.constantFrom("record", "pairs", "map"),
  secrets: fc.oneof(
    { weight: 5, arbitrary: fc.constant(secret) },
    fc.array(fc.constantFrom(secret, "whsec_other", undefined, "", " ")),
    fc.anything(),
  ),
  settings: fc.record(
    {
      maxBodyBytes: fc.oneof(
        { weight: 4, arbitrary: fc.constant(1_000) },
        fc.constantFrom(0, 50, Number.NaN),
      ),
      maxAge: fc.constantFrom(0, 1_000, Infinity, Number.NaN),
      now: fc.constantFrom(end, end + 500, end + 5_000).map((time) => () => time),
    },
    { requiredKeys: [] },
  ),
  text: fc.boolean(),
});

it("come to the same, in the same words, whatever becomes of a delivery on its way", async () => {
  const seen = new Set<string>();
  const property = fc.asyncProperty(deliveries, async (delivery) => {
    const { bytes, name, more, form, secrets, settings, text } = delivery;
    const value = delivery.signature(await sign({ body: bytes, secret }));
    const arrived = Buffer.from(bytes);
    if (delivery.flipped !== null && arrived.length > 0) {
      const at = delivery.flipped % arrived.length;
      arrived[at] = (arrived[at] ?? 0) ^ (1 << (delivery.flipped % 8));
    }
    const record = { ...more, [name]: value };
    const pairs = Object.entries(record);
    const headers = form === "record" ? record : form === "pairs" ? pairs : new Map(pairs);
    const options = { body: text ? arrived.toString() : arrived, headers, secrets, ...settings };
    // Much of it is forbidden by the types.
    const outcome = await safeVerify(options as VerifyOptions);
    expect(safeVerifySync(options as VerifySyncOptions)).toStrictEqual(outcome);
    seen.add(outcome.ok ? "ok" : outcome.code);
  });
  await fc.assert(property, { numRuns: 3_000 });
  // Otherwise nothing much was shown.
  expect([...seen].toSorted()).toStrictEqual([
    "body_too_large",
    "header_mismatch",
    "invalid_event",
    "invalid_json",
    "invalid_secret",
    "malformed_signature",
    "missing_signature",
    "multiple_signatures",
    "ok",
    "signature_mismatch",
    "stale_event",
  ]);
});

it("refuse the same as bodies, though each in its own words", async () => {
  const signature = await sign({ body: "{}", secret });
  const odd = fc.anything({ withNullPrototype: true, withTypedArray: true, withMap: true });
  const property = fc.asyncProperty(odd, async (body) => {
    const headers = { "x-service-signature": signature };
    // Any value at all is what this is about.
    const options = { body, headers, secrets: secret } as VerifyOptions & VerifySyncOptions;
    const outcome = await safeVerify(options);
    expect(safeVerifySync(options)).toMatchObject({ ok: false, code: !outcome.ok && outcome.code });
  });
  await fc.assert(property, { numRuns: 1_000 });
});
