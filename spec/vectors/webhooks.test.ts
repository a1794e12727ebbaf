import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { bytesOf } from "./webhook-vector.ts";
import { webhookVectors } from "./webhooks.ts";
import type { WebhookVectors } from "./webhooks.ts";

const text = readFileSync(new URL("webhooks.json", import.meta.url), "utf8");
// The first test says that this is so.
const { cases } = JSON.parse(text) as WebhookVectors;

it("webhooks.json is what its generator makes", async () => {
  expect(text).toBe(await webhookVectors());
});

it("no two vectors have the same id or the same delivery", () => {
  const deliveries = cases.map(({ id: _id, name: _name, ...delivery }) => JSON.stringify(delivery));
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  expect(new Set(deliveries).size).toBe(cases.length);
});

it("what a delivery can be refused for has a vector", () => {
  const codes = cases.map(({ expected }) => (expected.ok ? "ok" : expected.code));
  // The other codes come from a body that is not there, and from what a receiver remembers.
  expect([...new Set(codes)].toSorted()).toEqual([
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

it("a body is cut within itself, in order", () => {
  const cut = cases.filter(({ chunks }) => chunks !== undefined);
  expect(cut.length).toBeGreaterThan(10);
  for (const { id, body, chunks = [] } of cut) {
    const positions = [0, ...chunks, bytesOf(body).length];
    expect(
      positions.toSorted((one, other) => one - other),
      id,
    ).toEqual(positions);
  }
});
