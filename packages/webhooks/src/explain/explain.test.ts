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

describe("a delivery with a valid signature that is rejected", () => {
  const event = '{"event":"tryon.completed","job_id":"j","status":"4711"}';

  it.each<[Cause, string, Record<string, string>]>([
    ["json_invalid", "{", {}],
    ["event_field", event, {}],
    ["header_differs", eventBody, { "x-service-event": "TryOn.Completed" }],
    ["time_too_old", eventBody, {}],
  ])("%s: %s", async (cause, body, more) => {
    const headers = { ...signed(body), ...more };
    const options = { body, headers, secrets: secret, maxAge: 60_000 };
    expect(causes(await explained(options, secret, "4711", eventBody))).toEqual([cause]);
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
    // The types forbid some values and JavaScript allows them.
    const options = { body, headers: { "x-service-signature": value }, secrets } as ExplainOptions;
    const [explanation, outcome] = [await explain(options), await safeVerify(options)];
    expect(explanation).toMatchObject(outcome);
    expect(causes(explanation).length > 0).toBe(!explanation.ok);
  });
  await fc.assert(property, { numRuns: 150 });
});

it.each([
  `${eventBody} `,
  eventBody.replace("failed", "succeeded"),
  Buffer.from(eventBody).toString("base64"),
])("never contains the valid digest of the body: %s", async (body) => {
  const explanation = await explain({ body, headers: signed(eventBody), secrets: secret });
  const digests = [body, eventBody].flatMap((one) =>
    (["hex", "base64", "base64url"] as const).map((encoding) => digestOf(one).toString(encoding)),
  );
  const unseen = [...digests, body, secret, "job_7Hk2mQ9x"];
  expect(leaked(JSON.stringify(explanation), unseen)).toEqual([]);
});

it("accepts the options of verify, and has typed outcomes", () => {
  expectTypeOf<VerifyOptions>().toExtend<ExplainOptions>();
  expectTypeOf<Extract<Explanation, { ok: true }>["event"]>().toEqualTypeOf<TryOnEvent>();
  expectTypeOf<string>().not.toExtend<Cause>();
});
