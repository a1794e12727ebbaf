import { describe, expect, it } from "vitest";

import { isTryOnError, type ImageInput, type TryOnInput } from "../index.ts";
import {
  assetBytes,
  createService,
  fieldsOf,
  input,
  personUrl,
  profiles,
  shirtUrl,
} from "../../test/service.ts";

/** Returns the fields of the request for an input, except `wait`. */
async function wireOf(given: TryOnInput): Promise<Record<string, unknown>> {
  const { run, tryon, submissions } = createService();
  await run(tryon.submit(given));
  const { wait: _wait, ...fields } = fieldsOf(submissions()[0]);
  return fields;
}

const shirt = assetBytes("shirt.png");
const base64 = Buffer.from(shirt).toString("base64");
const wireInput = { person_url: personUrl, garment_urls: [shirtUrl] };

describe("an input", () => {
  it.each<[string, ImageInput]>([
    ["a Uint8Array", shirt],
    ["a view into a larger buffer", new Uint8Array([...new Uint8Array(7), ...shirt]).subarray(7)],
    ["an ArrayBuffer", shirt.buffer],
    ["a Blob", new Blob([shirt])],
    ["a File", new File([shirt], "shirt.png")],
    ["a Buffer", Buffer.from(shirt)],
  ])("is sent as base64 if it is %s", async (_kind, image) => {
    expect(await wireOf({ person: image, garments: [shirtUrl, image] })).toEqual({
      person_image_b64: base64,
      garment_urls: [shirtUrl],
      garment_images_b64: [base64],
    });
  });

  it.each<[string, TryOnInput, Record<string, unknown>]>([
    [
      "URLs as URLs",
      { person: new URL(personUrl), garments: [new URL(shirtUrl), shirtUrl] },
      { person_url: personUrl, garment_urls: [shirtUrl, shirtUrl] },
    ],
    [
      "aliases under their canonical names",
      { model_url: personUrl, clothing: [shirtUrl], resolution: "4k", size: "1k", mode: "sync" },
      { ...wireInput, output_size: "4K" },
    ],
    [
      "the first alias that is not empty",
      {
        input_url: personUrl,
        model_url: "",
        items: [shirtUrl],
        clothing: [],
        output_size: "2k",
        size: "1K",
      },
      { ...wireInput, output_size: "2K" },
    ],
    [
      "base64 of the wire form",
      { person_image_b64: base64, garment_images_b64: [base64] },
      { person_image_b64: base64, garment_images_b64: [base64] },
    ],
    [
      "URLs and images of one wire form",
      { ...wireInput, person_image_b64: base64, garment_images_b64: [base64] },
      { ...wireInput, person_image_b64: base64, garment_images_b64: [base64] },
    ],
    [
      "other fields and those of extra unchanged",
      {
        ...input,
        prompt: "tucked in",
        seed: 0,
        metadata: { sku: "7", größe: 12 },
        webhook_url: "https://a.example/hook",
        extra: { later: { nested: true } },
      },
      {
        ...wireInput,
        prompt: "tucked in",
        seed: 0,
        metadata: { sku: "7", größe: 12 },
        webhook_url: "https://a.example/hook",
        later: { nested: true },
      },
    ],
    [
      "fields that are undefined or null as absent",
      { ...input, prompt: undefined, seed: null, person_url: null, garment_urls: undefined },
      { ...wireInput, seed: null },
    ],
    [
      "an http URL of this machine, for a local service",
      { ...input, webhook_url: "http://127.0.0.1:8080/hook" },
      { ...wireInput, webhook_url: "http://127.0.0.1:8080/hook" },
    ],
  ])("sends %s", async (_what, given, wire) => {
    expect(await wireOf(given)).toEqual(wire);
  });

  it.each(profiles)("is accepted at every limit under the profile %s", async (profile) => {
    const { run, tryon } = createService({ profile });
    const metadata = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`${index}`.repeat(256), "v".repeat(256)]),
    );
    const job = await run(
      tryon.submit({
        person: shirt,
        garments: [shirt, shirtUrl, new Blob([shirt])],
        prompt: "😀".repeat(1_000),
        negative_prompt: "n".repeat(500),
        style_hint: "s".repeat(500),
        seed: 2_147_483_647,
        metadata,
      }),
    );
    expect((await run(job.result())).job.status).toBe("succeeded");
  });

  it("is sent as it was at the call, at any depth", async () => {
    const { run, tryon, submissions } = createService();
    const metadata = { order: { id: 17 } };
    const garments = [...input.garments];
    const work = tryon.submit({ ...input, garments, metadata });
    metadata.order.id = 18;
    garments.pop();
    await run(work);
    expect(fieldsOf(submissions()[0])).toMatchObject({
      metadata: { order: { id: 17 } },
      garment_urls: [shirtUrl],
    });
  });
});

/** Input whose images are properties of its class. */
class Order {
  get person(): string {
    return personUrl;
  }
  get garments() {
    return [shirtUrl] as const;
  }
}

it.each([false, true])("sends images of a class with keyInMetadata: %s", async (keyInMetadata) => {
  const { run, tryon, submissions } = createService();
  await run(tryon.submit(new Order(), { keyInMetadata }));
  expect(fieldsOf(submissions()[0])).toMatchObject(wireInput);
});

const html = new TextEncoder().encode("\n<!doctype html><html><body>Not found");
const circular: Record<string, unknown> = {};
circular["self"] = circular;
const transferred = new Uint8Array([1, 2, 3]);
structuredClone(transferred, { transfer: [transferred.buffer] });
const text = (length: number): string => "a".repeat(length);

/** Changes of a valid input, and the issue of each. */
const invalid: readonly [what: string, change: object, field: string, words: string][] = [
  ["no person", { person: undefined }, "person", "is missing"],
  ["no garment", { garments: [] }, "garments", "0 images"],
  ["four garments", { garments: [shirtUrl, shirtUrl, shirtUrl, shirtUrl] }, "garments", "4 images"],
  [
    "four garments of two kinds",
    {
      garments: undefined,
      garment_urls: [shirtUrl, shirtUrl],
      garment_images_b64: [base64, base64],
    },
    "garments",
    "1 to 3",
  ],
  ["one garment without a list", { garments: shirtUrl }, "garments", "not a list"],
  ["an http URL", { person: "http://shop.example/a.jpg" }, "person", "not an https URL"],
  ["an http garment", { garments: [shirtUrl, "http://a.example"] }, "garments.1", "not an https"],
  ["the path of a file", { person: "me.jpg" }, "person", "openAsBlob"],
  [
    "a data URI as base64",
    { person: undefined, person_image_b64: `data:image/png;base64,${base64}` },
    "person_image_b64",
    "Remove data:",
  ],
  [
    "bytes as base64",
    { person: undefined, person_image_b64: shirt },
    "person_image_b64",
    "is not an image",
  ],
  [
    "a URL list that is none",
    { garments: undefined, garment_urls: shirtUrl },
    "garment_urls",
    "list",
  ],
  ["a long URL", { person: `https://a.example/${text(2_000)}` }, "person", "limit is 2000"],
  ["an empty Blob", { person: new Blob([]) }, "person", "is empty"],
  ["no bytes", { garments: [new Uint8Array()] }, "garments.0", "is empty"],
  ["transferred bytes", { person: transferred }, "person", "is empty"],
  ["a transferred buffer", { person: transferred.buffer }, "person", "is empty"],
  ["a page instead of an image", { garments: [html] }, "garments.0", "is HTML"],
  ["JSON instead of an image", { person: new Blob(['{"detail":"no"}']) }, "person", "is JSON"],
  ["SVG instead of an image", { person: new Blob(["<svg></svg>"]) }, "person", "is SVG"],
  ["text instead of an image", { person: new Blob([base64]) }, "person", "is text"],
  [
    "a large image",
    { person: new Uint8Array(10_500_001).fill(255) },
    "person",
    "10500001 bytes, and the limit is 10500000",
  ],
  ["a number", { person: 7 }, "person", "is not an image"],
  ["two persons", { person_image_b64: base64 }, "person", "also set"],
  ["garments twice", { garment_urls: [shirtUrl] }, "garments", "also set"],
  ["an unknown size", { output_size: "8K" }, "output_size", "1K, 2K and 4K"],
  ["a long prompt", { prompt: text(1_001) }, "prompt", "limit is 1000"],
  ["a long hint", { style_hint: text(501) }, "style_hint", "limit is 500"],
  ["a long negative prompt", { negative_prompt: text(501) }, "negative_prompt", "limit is 500"],
  ["a seed below 0", { seed: -1 }, "seed", "0 to 2147483647"],
  ["a seed that is too large", { seed: 2_147_483_648 }, "seed", "0 to 2147483647"],
  [
    "nine keys of metadata",
    { metadata: Object.fromEntries(Array.from("123456789").entries()) },
    "metadata",
    "9 keys, and the limit is 8",
  ],
  ["a long metadata value", { metadata: { a: text(257) } }, "metadata.a", "limit is 256"],
  ["metadata that is a list", { metadata: ["a"] }, "metadata", "not an object"],
  ["an http webhook", { webhook_url: "http://a.example" }, "webhook_url", "not an https URL"],
  ["a bigint", { metadata: { a: 1n } }, "input", "bigint"],
  ["circular metadata", { metadata: circular }, "input", "cannot be written as JSON"],
];

describe("an invalid input", () => {
  it.each([
    ...invalid.map(
      ([what, change, ...issue]) => [what, { ...input, ...change }, ...issue] as const,
    ),
    ["nothing", undefined, "input", "not an object"] as const,
  ])("is rejected before anything is sent: %s", async (_what, given, field, words) => {
    const { error, tryon, sent } = createService();
    // JavaScript callers can pass anything.
    const failed = await error(tryon.run(given as TryOnInput));
    if (!isTryOnError(failed, "invalid_input")) throw failed;
    expect(failed.field(field)?.message).toContain(field);
    expect(failed.message).toContain(words);
    expect(sent).toEqual([]);
  });
});
