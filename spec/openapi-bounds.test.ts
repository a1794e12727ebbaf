import { describe, expect, it } from "vitest";
import { operations, problems, schemaNamed, webhooks, type Schema } from "./openapi-document.ts";

const text = (length: number): string => "a".repeat(length);
const address = (length: number): string => "https://shop.example/".padEnd(length, "a");
const many = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `https://shop.example/${index}.png`);
const keys = (count: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, index]));

interface Bound {
  readonly place: string;
  readonly inside: unknown;
  readonly outside: unknown;
  /** The keyword that refuses what is outside. */
  readonly by: string;
}

const requestBounds: readonly Bound[] = [
  ...["person_url", "person", "model_url", "input_url", "webhook_url"].map((place) => ({
    place,
    inside: address(2000),
    outside: address(2001),
    by: "maxLength",
  })),
  ...["person_url", "person", "model_url", "input_url", "webhook_url"].map((place) => ({
    place,
    inside: "https://shop.example/ada.jpg",
    outside: "not an address",
    by: "format",
  })),
  ...["person_url", "person", "model_url", "input_url", "webhook_url"].map((place) => ({
    place,
    inside: "HTTPS://shop.example/ada.jpg",
    outside: "http://shop.example/ada.jpg",
    by: "pattern",
  })),
  {
    place: "person_image_b64",
    inside: text(14_000_000),
    outside: text(14_000_001),
    by: "maxLength",
  },
  ...["garment_urls", "garment_images_b64", "garments", "clothing", "items"].map((place) => ({
    place,
    inside: many(3),
    outside: many(4),
    by: "maxItems",
  })),
  ...["output_size", "resolution", "size"].flatMap((place) =>
    ["1K", "2K", "4K", "1k", "2k", "4k"].map((inside) => ({
      place,
      inside,
      outside: "8K",
      by: "anyOf",
    })),
  ),
  { place: "prompt", inside: text(1000), outside: text(1001), by: "maxLength" },
  { place: "style_hint", inside: text(500), outside: text(501), by: "maxLength" },
  { place: "negative_prompt", inside: text(500), outside: text(501), by: "maxLength" },
  { place: "wait", inside: false, outside: "false", by: "type" },
  { place: "mode", inside: "sync", outside: "later", by: "enum" },
  { place: "mode", inside: "async", outside: "ASYNC", by: "enum" },
  { place: "metadata", inside: keys(8), outside: keys(9), by: "maxProperties" },
  { place: "metadata", inside: {}, outside: [], by: "type" },
  { place: "metadata", inside: { [text(256)]: 1 }, outside: { [text(257)]: 1 }, by: "maxLength" },
  { place: "seed", inside: 0, outside: -1, by: "minimum" },
  { place: "seed", inside: 2_147_483_647, outside: 2_147_483_648, by: "maximum" },
  { place: "seed", inside: 7, outside: 7.5, by: "type" },
];

const purchaseBounds: readonly Bound[] = [
  ...["demo", "starter", "pro", "scale", "enterprise"].map((inside) => ({
    place: "pack_slug",
    inside,
    outside: inside.toUpperCase(),
    by: "enum",
  })),
  {
    place: "shared_payment_granted_token",
    inside: "spt_",
    outside: "spt",
    by: "minLength",
  },
  {
    place: "shared_payment_granted_token",
    inside: `spt_${text(196)}`,
    outside: `spt_${text(197)}`,
    by: "maxLength",
  },
  {
    place: "shared_payment_granted_token",
    inside: "spt_token",
    outside: "tok_token",
    by: "pattern",
  },
];

const jobIds: readonly Bound[] = [
  { place: "job_id", inside: "job_a", outside: "job_", by: "pattern" },
  { place: "job_id", inside: "job_Z9", outside: "job_Z-9", by: "pattern" },
];

const states: readonly Bound[] = ["queued", "running", "succeeded", "failed"].map((inside) => ({
  place: "status",
  inside,
  outside: "canceled",
  by: "enum",
}));

const atLeast = (place: string, least: number): Bound => ({
  place,
  inside: least,
  outside: least - 1,
  by: "minimum",
});

const time = (place: string): Bound => ({
  place,
  inside: "2026-01-01T12:00:00Z",
  outside: "2026-01-01 noon",
  by: "format",
});

const schemaBounds: Readonly<Record<string, readonly Bound[]>> = {
  TryOnRequest: requestBounds,
  PurchaseWithSPTRequest: purchaseBounds,
  TryOnSubmitResponse: [
    ...jobIds,
    ...states,
    atLeast("cost_credits", 0),
    atLeast("credits_remaining", 0),
  ],
  TryOnJobStatus: [
    ...jobIds,
    ...states,
    atLeast("cost_credits", 0),
    atLeast("result_width", 1),
    atLeast("result_height", 1),
    atLeast("result_bytes", 1),
    time("created_at"),
  ],
  PurchaseWithSPTResponse: [atLeast("credits_added", 0), atLeast("credits_remaining", 0)],
  TryOnCompletedEvent: [
    ...jobIds,
    { place: "status", inside: "succeeded", outside: "running", by: "enum" },
    { place: "event", inside: "tryon.completed", outside: "tryon.started", by: "const" },
  ],
};

const parameterBounds: readonly Bound[] = [
  { place: "Idempotency-Key", inside: text(200), outside: text(201), by: "maxLength" },
  { place: "limit", inside: 1, outside: 1.5, by: "type" },
  { place: "status_filter", inside: "queued", outside: "done", by: "enum" },
  { place: "X-Service-Event", inside: "tryon.completed", outside: "ping", by: "const" },
  { place: "X-Service-Job-Id", inside: "job_a1", outside: "a1", by: "pattern" },
  ...[`sha256=${text(63)}`, text(64), `sha1=${text(64)}`, `sha256=${text(63)}g`].map((outside) => ({
    place: "X-Service-Signature",
    inside: `sha256=${text(64)}`,
    outside,
    by: "pattern",
  })),
];

/** What a schema has against one field, wherever inside the field. */
const problemsWith = (schema: Schema, place: string, value: unknown): readonly string[] =>
  problems(schema, { [place]: value }).filter((problem) => problem.includes(` at /${place}`));

describe("bounds of the contract", () => {
  const rows = Object.entries(schemaBounds).flatMap(([name, list]) =>
    list.map((bound) => ({ name, ...bound })),
  );

  it.each(rows)("$name.$place ends where $by says", ({ name, place, inside, outside, by }) => {
    expect(problemsWith(schemaNamed(name), place, inside)).toEqual([]);
    expect(problemsWith(schemaNamed(name), place, outside)).toContain(`${by} at /${place}`);
  });

  it.each(parameterBounds)("$place ends where $by says", ({ place, inside, outside, by }) => {
    const parameters = [...operations, ...webhooks].flatMap((operation) => operation.parameters);
    const schema = parameters.find(({ name }) => name === place)?.schema ?? {};
    expect(problems(schema, inside)).toEqual([]);
    expect(problems(schema, outside)).toContain(`${by} at /`);
  });

  it("metadata takes values of any JSON type, and text of up to 256 characters", () => {
    const request = schemaNamed("TryOnRequest");
    const values = { a: null, b: 1, c: true, d: [1, 2], e: { f: "g" }, h: text(256) };
    expect(problems(request, { metadata: values })).toEqual([]);
    expect(problems(request, { metadata: { h: text(257) } })).toContain("maxLength at /metadata/h");
  });
});

describe("what the contract leaves open", () => {
  it.each([
    ["an unknown property of a request", "TryOnRequest", { campaign: "spring" }],
    [
      "rules over several fields, which are answered with 400",
      "TryOnRequest",
      { garment_urls: many(3), garment_images_b64: many(3) },
    ],
    [
      "an unknown error_code",
      "TryOnSubmitResponse",
      { job_id: "job_a", status: "failed", cost_credits: 8, error_code: "storage_failed" },
    ],
    [
      "an unknown payment status",
      "PurchaseWithSPTResponse",
      {
        payment_intent_id: "pi_1",
        status: "canceled",
        pack_slug: "mega",
        credits_added: 0,
        credits_remaining: 0,
      },
    ],
    [
      "an unknown property and error_code of an event",
      "TryOnCompletedEvent",
      {
        event: "tryon.completed",
        job_id: "job_a",
        status: "failed",
        result_url: null,
        error_code: "storage_failed",
        error_message: null,
        duration_ms: 1,
        completed_at: "2026-01-01T00:00:00Z",
        more: 1,
      },
    ],
    ["any commerce", "DiscoveryResponse", { capabilities: { agentic_commerce: true, more: 1 } }],
  ])("%s", (_title, name, value) => {
    expect(problems(schemaNamed(name), value)).toEqual([]);
  });
});
