import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
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
