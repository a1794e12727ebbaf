import { expect, it } from "vitest";
import { safeVerify, sign, type WebhookHeaders } from "../index.ts";

const secrets = "whsec_test";
const body = JSON.stringify({ event: "tryon.completed", job_id: "job_1", status: "succeeded" });
const signature = await sign({ body, secret: secrets });
const name = "x-service-signature";

it.each<[string, unknown]>([
  ["a Headers object", new Headers({ "X-Service-Signature": signature })],
  ["the headers of a Node request", { [name]: signature, "x-service-event": undefined }],
  ["the headersDistinct of a Node request", { [name]: [signature], "x-service-event": [] }],
  [
    "a record without a prototype",
    Object.assign(Object.create(null), { "X-SERVICE-signature": signature }),
  ],
  ["a record with null", { [name]: signature, "x-service-event": null }],
  ["a map", new Map([["X-Service-Signature", signature]])],
  ["pairs", [["X-Service-Signature", signature]]],
  [
    "pairs with a number as a name",
    [
      [7, "odd"],
      [name, signature],
    ],
  ],
  ["an iterator", new Map([["X-Service-Signature", signature]]).entries()],
])("reads headers from %s", async (_, headers) => {
  // The types forbid some of these values and JavaScript allows them.
  const options = { body, headers: headers as WebhookHeaders, secrets };
  expect(await safeVerify(options)).toMatchObject({ ok: true });
});

it.each<[string, unknown, string]>([
  [
    "one name in two cases",
    { "X-Service-Signature": signature, [name]: signature },
    "multiple_signatures",
  ],
  ["an inherited signature", Object.create({ [name]: signature }), "missing_signature"],
  ["null", { [name]: null }, "missing_signature"],
  [
    "an iterator with another header first",
    new Map([
      ["x-service-job-id", "job_2"],
      [name, signature],
    ]).entries(),
    "header_mismatch",
  ],
])("rejects %s", async (_, headers, code) => {
  const outcome = await safeVerify({ body, headers: headers as WebhookHeaders, secrets });
  expect(outcome).toMatchObject({ ok: false, code });
});
