import { describe, expect, it } from "vitest";

import { isTryOnError, type TryOnInput } from "../index.ts";
import {
  assetBytes,
  createService,
  fieldsOf,
  input,
  personUrl,
  profiles,
  shirtUrl,
} from "../../test/service.ts";

/** What goes over the wire for an input, but `wait`. */
async function wireOf(given: TryOnInput): Promise<Record<string, unknown>> {
  const { run, tryon, submissions } = createService();
  await run(tryon.submit(given));
  const { wait: _wait, ...fields } = fieldsOf(submissions()[0]);
  return fields;
}

const shirt = assetBytes("shirt.png");
const base64 = Buffer.from(shirt).toString("base64");

describe("an input", () => {
  it.each<[string, TryOnInput["person"]]>([
    ["a Uint8Array", shirt],
    ["a view into a larger buffer", new Uint8Array([...new Uint8Array(7), ...shirt]).subarray(7)],
    ["an ArrayBuffer", shirt.buffer],
    ["a Blob", new Blob([shirt])],
    ["a File", new File([shirt], "shirt.png")],
    ["a Buffer", Buffer.from(shirt)],
  ])("is sent as base64 when it is %s", async (_kind, image) => {
    expect(await wireOf({ person: image, garments: [shirtUrl, image ?? ""] })).toEqual({
      person_image_b64: base64,
      garment_urls: [shirtUrl],
      garment_images_b64: [base64],
    });
  });

  it("is sent as an address when it is one", async () => {
    expect(await wireOf({ person: new URL(personUrl), garments: [new URL(shirtUrl)] })).toEqual({
      person_url: personUrl,
      garment_urls: [shirtUrl],
    });
  });

  it("has every alias folded to its canonical field", async () => {
    const wire = {
      model_url: personUrl,
      clothing: [shirtUrl],
      resolution: "4k",
      size: "1k",
      mode: "sync",
    } as const;
    expect(await wireOf(wire)).toEqual({
      person_url: personUrl,
      garment_urls: [shirtUrl],
      output_size: "4K",
    });
    const others = {
      input_url: personUrl,
      model_url: "",
      items: [shirtUrl],
      clothing: [],
      output_size: "2k",
      size: "1K",
    } as const;
    expect(await wireOf(others)).toEqual({
      person_url: personUrl,
      garment_urls: [shirtUrl],
      output_size: "2K",
    });
  });

  it("sends the fields of the service and those of extra as they are", async () => {
    const fields = {
      prompt: "tucked in",
      seed: 0,
      metadata: { sku: "7", größe: 12 },
      webhook_url: "https://a.example/hook",
    };
    const extra = { later: { nested: true } };
    expect(await wireOf({ ...input, ...fields, extra })).toEqual({
      person_url: personUrl,
      garment_urls: [shirtUrl],
      ...fields,
      later: { nested: true },
    });
    expect(await wireOf({ person_image_b64: base64, garment_images_b64: [base64] })).toEqual({
      person_image_b64: base64,
      garment_images_b64: [base64],
    });
  });

  it("may have fields that are undefined or null", async () => {
    expect(
      await wireOf({
        ...input,
        prompt: undefined,
        seed: null,
        person_url: null,
        garment_urls: undefined,
      }),
    ).toMatchObject({ person_url: personUrl });
  });

  it.each(profiles)(
    "is taken by the service at every bound, under the profile %s",
    async (profile) => {
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
    },
  );
});

const html = new TextEncoder().encode("\n<!doctype html><html><body>Not found");
const refused: readonly [string, unknown, string, string][] = [
  ["no person", { garments: [shirtUrl] }, "person", "is missing"],
  ["no garment", { person: personUrl, garments: [] }, "garments", "0 images"],
  [
    "four garments",
    { person: personUrl, garments: [shirtUrl, shirtUrl, shirtUrl, shirtUrl] },
    "garments",
    "4 images",
  ],
  [
    "four garments of two kinds",
    { person: personUrl, garment_urls: [shirtUrl, shirtUrl], garment_images_b64: [base64, base64] },
    "garments",
    "1 to 3",
  ],
  [
    "one garment without a list",
    { person: personUrl, garments: shirtUrl },
    "garments",
    "not a list",
  ],
  [
    "an http address",
    { ...input, person: "http://shop.example/a.jpg" },
    "person",
    "not an https address",
  ],
  [
    "an http garment",
    { ...input, garments: [shirtUrl, "http://shop.example/a.jpg"] },
    "garments.1",
    "not an https address",
  ],
  ["the path of a file", { ...input, person: "me.jpg" }, "person", "openAsBlob"],
  [
    "a data URI as base64",
    { garments: [shirtUrl], person_image_b64: `data:image/png;base64,${base64}` },
    "person_image_b64",
    "Leave out data:",
  ],
  [
    "a long address",
    { ...input, person: `https://a.example/${"a".repeat(2_000)}` },
    "person",
    "limit is 2000",
  ],
  ["an empty Blob", { ...input, person: new Blob([]) }, "person", "is empty"],
  ["no bytes", { ...input, garments: [new Uint8Array()] }, "garments.0", "is empty"],
  ["a page instead of an image", { ...input, garments: [html] }, "garments.0", "is HTML"],
  [
    "JSON instead of an image",
    { ...input, person: new Blob(['{"detail":"no"}']) },
    "person",
    "is JSON",
  ],
  ["SVG instead of an image", { ...input, person: new Blob(["<svg></svg>"]) }, "person", "is SVG"],
  ["text instead of an image", { ...input, person: new Blob([base64]) }, "person", "is text"],
  [
    "a large image",
    { ...input, person: new Uint8Array(10_500_001).fill(255) },
    "person",
    "10500001 bytes",
  ],
  ["something else", { ...input, person: 7 }, "person", "is not an image"],
  ["two persons", { ...input, person_image_b64: base64 }, "person", "given too"],
  ["garments twice", { ...input, garment_urls: [shirtUrl] }, "garments", "given too"],
  ["a size that is none", { ...input, output_size: "8K" }, "output_size", "1K, 2K and 4K"],
  ["a long prompt", { ...input, prompt: "a".repeat(1_001) }, "prompt", "limit is 1000"],
  ["a long hint", { ...input, style_hint: "a".repeat(501) }, "style_hint", "limit is 500"],
  [
    "a long negative prompt",
    { ...input, negative_prompt: "a".repeat(501) },
    "negative_prompt",
    "limit is 500",
  ],
  ["a seed below 0", { ...input, seed: -1 }, "seed", "0 to 2147483647"],
  ["a seed that is too large", { ...input, seed: 2_147_483_648 }, "seed", "0 to 2147483647"],
  [
    "nine metadata",
    { ...input, metadata: Object.fromEntries(Array.from("123456789").entries()) },
    "metadata",
    "9 keys",
  ],
  [
    "a long metadata value",
    { ...input, metadata: { a: "a".repeat(257) } },
    "metadata.a",
    "limit is 256",
  ],
  ["metadata that is a list", { ...input, metadata: ["a"] }, "metadata", "not an object"],
  [
    "an http webhook",
    { ...input, webhook_url: "http://shop.example/hook" },
    "webhook_url",
    "not an https address",
  ],
  ["what JSON cannot say", { ...input, metadata: { a: 1n } }, "input", "bigint"],
  ["nothing", undefined, "input", "not an object"],
];

describe("an input that the service is certain to refuse", () => {
  it.each(refused)(
    "throws invalid_input before anything is sent: %s",
    async (_what, given, field, words) => {
      const { error, tryon, sent } = createService();
      // Types cannot stop those who do not use them.
      const failed = await error(tryon.run(given as TryOnInput));
      if (!isTryOnError(failed, "invalid_input")) throw failed;
      expect(failed.field(field)?.message).toBeDefined();
      expect(failed.message).toContain(words);
      expect(sent).toEqual([]);
    },
  );

  it("may name this machine over http, for a local service", async () => {
    expect(await wireOf({ ...input, webhook_url: "http://127.0.0.1:8080/hook" })).toMatchObject({
      webhook_url: "http://127.0.0.1:8080/hook",
    });
  });
});
