import { expect, it } from "vitest";
import { safeVerify, sign } from "../index.ts";
import type { WebhookHeaders } from "../index.ts";

const secrets = "whsec_test";
const body = JSON.stringify({ event: "tryon.completed", job_id: "job_1", status: "succeeded" });
const signature = await sign({ body, secret: secrets });

it.each<[string, WebhookHeaders]>([
  ["a Headers object", new Headers({ "X-Service-Signature": signature })],
  [
    "the headers of a Node request",
    { "x-service-signature": signature, "x-service-event": undefined },
  ],
  ["its headersDistinct", { "x-service-signature": [signature], "x-service-event": [] }],
  [
    "a record without a prototype",
    Object.assign(Object.create(null), { "X-SERVICE-signature": signature }),
  ],
  ["a map", new Map([["X-Service-Signature", signature]])],
  ["pairs", [["X-Service-Signature", signature]]],
  [
    "an iterator, which can be gone through once",
    new Map([["X-Service-Signature", signature]]).entries(),
  ],
])("%s can be read", async (_, headers) => {
  expect(await safeVerify({ body, headers, secrets })).toMatchObject({ ok: true });
});

it("one name in two cases is two headers", async () => {
  const headers = { "X-Service-Signature": signature, "x-service-signature": signature };
  const outcome = await safeVerify({ body, headers, secrets });
  expect(outcome).toMatchObject({ ok: false, code: "multiple_signatures" });
});

it("a signature that is only inherited is none", async () => {
  // No type of headers, but what a polluted prototype would look like.
  const headers = Object.create({ "x-service-signature": signature }) as WebhookHeaders;
  const outcome = await safeVerify({ body, headers, secrets });
  expect(outcome).toMatchObject({ ok: false, code: "missing_signature" });
});

it("an iterator is gone through once, and a header is found wherever it stands", async () => {
  const headers = new Map([
    ["x-service-job-id", "job_2"],
    ["x-service-signature", signature],
  ]);
  const outcome = await safeVerify({ body, headers: headers.entries(), secrets });
  expect(outcome).toMatchObject({ ok: false, code: "header_mismatch" });
});
