import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import type { BodyPart, WebhookVector } from "./webhook-vector.ts";

const text = readFileSync(new URL("webhooks.json", import.meta.url), "utf8");
// The tests of the verifiers read every field.
const { cases } = JSON.parse(text) as { cases: readonly WebhookVector[] };

function bytesOf(body: readonly BodyPart[]): Buffer {
  const pieces = body.map((part) => {
    if ("base64" in part) return Buffer.from(part.base64, "base64");
    return Buffer.from("utf8" in part ? part.utf8 : part.repeat.repeat(part.count));
  });
  return Buffer.concat(pieces);
}

it("no two vectors have the same id or the same delivery", () => {
  const deliveries = cases.map(({ id: _id, name: _name, ...delivery }) => JSON.stringify(delivery));
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  expect(new Set(deliveries).size).toBe(cases.length);
});

// The codes that come after the signature. The others come from a body that is missing, and from what a receiver remembers.
const signed = ["header_mismatch", "invalid_event", "invalid_json", "ok", "stale_event"];
const unsigned = [
  "body_too_large",
  "invalid_secret",
  "malformed_signature",
  "missing_signature",
  "multiple_signatures",
  "signature_mismatch",
];

it("every code of a refusal has a vector", () => {
  expect([...new Set(cases.map(codeOf))].toSorted()).toEqual([...signed, ...unsigned].toSorted());
});

/** Positions of the secrets that the signature fits, by node:crypto, so that no verifier under test is its own judge. */
function fitting({ secrets, body, headers }: WebhookVector): readonly number[] {
  const [, sent = ""] = headers.find(([name]) => /^x-service-signature$/i.test(name)) ?? [];
  const isRight = (secret: string | null): boolean =>
    secret !== null &&
    createHmac("sha256", secret.trim()).update(bytesOf(body)).digest("hex") ===
      sent.toLowerCase().replace("sha256=", "");
  return secrets.flatMap((secret, index) => (isRight(secret) ? [index] : []));
}

const codeOf = ({ expected }: WebhookVector): string => (expected.ok ? "ok" : expected.code);

it.each(cases.filter((vector) => signed.includes(codeOf(vector))))(
  "$id has the signature of a secret, and the first one counts",
  (vector) => {
    const { expected } = vector;
    const [first] = fitting(vector);
    expect(first).toBe(expected.ok ? expected.secretIndex : 0);
  },
);

it.each(cases.filter((vector) => codeOf(vector) === "signature_mismatch"))(
  "$id has the signature of no secret",
  (vector) => {
    expect(fitting(vector)).toEqual([]);
  },
);

it("a body is cut within itself, in order", () => {
  const cut = cases.filter(({ chunks }) => chunks !== undefined);
  expect(cut.length).toBeGreaterThan(10);
  for (const { id, body, chunks = [] } of cut) {
    const positions = [0, ...chunks, bytesOf(body).length];
    const inOrder = positions.toSorted((one, other) => one - other);
    expect(inOrder, id).toEqual(positions);
  }
});
