import * as fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";

import { explain, safeVerify } from "../index.ts";
import type { Cause, Explanation, ExplainOptions, TryOnEvent, VerifyOptions } from "../index.ts";
import {
  causes,
  digestOf,
  eventBody,
  explained,
  leaked,
  secret,
  signatureOf,
} from "../../test/explained.ts";

const signed = (body: string | Uint8Array) => ({ "x-service-signature": signatureOf(body) });

describe("a valid delivery", () => {
  it("is reported with its event", async () => {
    const options = { body: eventBody, headers: signed(eventBody), secrets: ["whsec_a", secret] };
    expect(await explain(options)).toEqual(await safeVerify(options));
    expect(await explain(options)).toMatchObject({ ok: true, secretIndex: 1 });
  });

  it("is read from a Request", async () => {
    const request = new Request("https://shop.example", {
      method: "POST",
      body: eventBody,
      headers: signed(eventBody),
    });
    expect(await explain({ body: request, secrets: secret })).toMatchObject({ ok: true });
  });
});

const now = () => Date.parse("2026-01-04T12:00:48Z");

describe("a delivery with a valid signature that is rejected", () => {
  it.each<[readonly Cause[], string, string | Uint8Array, Record<string, string>]>([
    [["json_invalid"], "", Uint8Array.of(0x22, 0xff, 0x22), {}],
    [["json_invalid"], "", "{", {}],
    [["json_invalid"], "", "", {}],
    [["json_invalid"], "", "[1]", {}],
    [["json_invalid"], "", "7", {}],
    [
      ["event_field", "event_field"],
      "job_id: missing",
      '{"event":"tryon.completed","status":"4711"}',
      {},
    ],
    [
      ["event_field"],
      "status: wrong value",
      '{"event":"tryon.completed","job_id":"j","status":"4711"}',
      {},
    ],
    [["event_field"], "event: missing", '{"job_id":"j"}', {}],
    [["header_differs"], "X-Service-Event", eventBody, { "x-service-event": "TryOn.Completed" }],
    [["header_differs"], "X-Service-Job-Id", eventBody, { "x-service-job-id": "job_4711" }],
    [["time_too_old"], "259200 s, maxAge 60 s", eventBody, {}],
    [["time_missing"], "", '{"event":"tryon.completed","job_id":"j","status":"failed"}', {}],
  ])("%s: %s", async (expected, detail, body, more) => {
    const headers = { ...signed(body), ...more };
    const options = { body, headers, secrets: secret, maxAge: 60_000, now };
    const explanation = await explained(options, secret, "4711", eventBody);
    expect(causes(explanation)).toEqual(expected);
    expect(JSON.stringify(explanation)).toContain(detail);
  });
});

const words = ["sha256=", "whsec_", "\n", '"', "=", ",", "t=1,v1=", digestOf("{}").toString("hex")];
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.array(fc.constantFrom(...words), { maxLength: 4 }).map((parts) => parts.join("")),
);
const anything = fc.oneof(text, fc.uint8Array({ maxLength: 60 }), fc.anything());

it("never throws, and agrees with safeVerify for any input", async () => {
  const property = fc.asyncProperty(anything, anything, anything, async (body, value, secrets) => {
    // What the types forbid, JavaScript allows.
    const options = { body, headers: { "x-service-signature": value }, secrets } as ExplainOptions;
    const [explanation, outcome] = [await explain(options), await safeVerify(options)];
    expect(explanation).toMatchObject(outcome);
    expect(causes(explanation).length > 0).toBe(!explanation.ok);
  });
  await fc.assert(property, { numRuns: 150 });
});

it("never contains the valid digest of the body", async () => {
  const mutations: ReadonlyArray<(body: string) => string> = [
    (body) => `${body} `,
    (body) => body.replace("failed", "succeeded"),
    (body) => JSON.stringify(JSON.parse(body), null, 3),
    (body) => Buffer.from(body).toString("base64"),
  ];
  for (const mutate of mutations) {
    const body = mutate(eventBody);
    const right = [body, eventBody].map((one) => digestOf(one));
    const explanation = await explain({ body, headers: signed(eventBody), secrets: secret });
    const encodings = ["hex", "base64", "base64url"] as const;
    const digests = right.flatMap((digest) =>
      encodings.map((encoding) => digest.toString(encoding)),
    );
    const unseen = [...digests, body, secret, "job_7Hk2mQ9x"];
    expect(leaked(JSON.stringify(explanation), unseen)).toEqual([]);
  }
});

it("accepts the options of verify, and has typed outcomes", () => {
  expectTypeOf<VerifyOptions>().toExtend<ExplainOptions>();
  expectTypeOf(explain).returns.resolves.toEqualTypeOf<Explanation>();
  expectTypeOf<Extract<Explanation, { ok: true }>["event"]>().toEqualTypeOf<TryOnEvent>();
  expectTypeOf<Extract<Explanation, { ok: false }>>().not.toHaveProperty("event");
  expectTypeOf<"body_rewritten">().toExtend<Cause>();
  expectTypeOf<string>().not.toExtend<Cause>();
});
