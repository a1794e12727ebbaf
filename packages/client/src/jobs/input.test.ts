import { describe, expect, it, vi } from "vitest";

import { isTryOnError, type TryOnInput } from "../index.ts";
import { recordingClient, parseBody, jpegBytes, CountedBlob } from "../../test/bodies.ts";
import { flat } from "../../test/photos.ts";
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
const wireImages = { person_image_b64: base64, garment_images_b64: [base64] };
const otherAliases = { input_url: personUrl, items: [shirtUrl], output_size: "2k" } as const;
const otherFields = {
  prompt: "tucked in",
  seed: 0,
  metadata: { sku: "7", größe: 12 },
  webhook_url: "https://a.example/hook",
};
const localHook = { webhook_url: "http://127.0.0.1:8080/hook" };

describe("an input", () => {
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
      { ...otherAliases, model_url: "", clothing: [], size: "1K" },
      { ...wireInput, output_size: "2K" },
    ],
    ["base64 of the wire form", wireImages, wireImages],
    [
      "URLs and images of the wire form",
      { ...wireInput, ...wireImages },
      { ...wireInput, ...wireImages },
    ],
    [
      "other fields and those of extra unchanged",
      { ...input, ...otherFields, extra: { later: { nested: true } } },
      { ...wireInput, ...otherFields, later: { nested: true } },
    ],
    [
      "fields that are undefined or null as absent",
      { ...input, prompt: undefined, seed: null, person_url: null, garment_urls: undefined },
      { ...wireInput, seed: null },
    ],
    [
      "an http URL of this machine, for a local service",
      { ...input, ...localHook },
      { ...wireInput, ...localHook },
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
    const { run, client, mock, submissions } = createService();
    const bytes = assetBytes("shirt.png");
    const metadata = { order: { id: 17 } };
    const garments = [bytes, bytes.buffer];
    const given = { ...input, garments, metadata, prompt: "before" };
    const change = (): string => {
      bytes.fill(0);
      metadata.order.id = 18;
      garments.pop();
      given.prompt = "after";
      return mock.keys.live;
    };
    await run(client({ apiKey: async () => change() }).submit(given));
    expect(fieldsOf(submissions()[0])).toMatchObject({
      prompt: "before",
      metadata: { order: { id: 17 } },
      garment_images_b64: [base64, base64],
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
const large = new Uint8Array(10_500_001).fill(255);
const nineKeys = Object.fromEntries(Array.from("123456789").entries());
const text = (length: number): string => "a".repeat(length);
const wirePerson = (base: unknown) => ({ person: undefined, person_image_b64: base });

/** Changes of a valid input, and the issue of each. */
const invalid: readonly [change: object, field: string, problem: string][] = [
  [{ person: undefined }, "person", "is missing"],
  [{ garments: [] }, "garments", "has 0 images"],
  [{ garments: [shirtUrl, shirtUrl, shirtUrl, shirtUrl] }, "garments", "has 4 images"],
  [
    { ...wireInput, garment_images_b64: [base64, base64, base64] },
    "garments",
    "has 5 images, and a try-on takes 1 to 3",
  ],
  [{ garments: shirtUrl }, "garments", "is not a list"],
  [{ garments: undefined, garment_urls: shirtUrl }, "garment_urls", "is not a list"],
  [{ person: "http://shop.example/a.jpg" }, "person", "is not an https URL"],
  [{ garments: [shirtUrl, "http://a.example"] }, "garments.1", "is not an https URL"],
  [{ person: "me.jpg" }, "person", 'is not an https URL but the path "me.jpg". Use an https URL'],
  [{ person: "me" }, "person", "is not an https URL. Use an https URL, a Blob (fs.openAsBlob"],
  [{ person: `https://a.example/${text(2_000)}` }, "person", "has 2018 characters"],
  [
    wirePerson(`data:image/png;base64,${base64}`),
    "person_image_b64",
    "is not base64. Remove data:",
  ],
  [wirePerson(shirt), "person_image_b64", "is not an image"],
  [{ person: new Blob([]) }, "person", "is empty"],
  [{ garments: [new Uint8Array()] }, "garments.0", "is empty"],
  [{ person: transferred }, "person", "could not be read"],
  [{ person: transferred.buffer }, "person", "could not be read"],
  [{ garments: [html] }, "garments.0", "is HTML, not an image"],
  [{ person: new Blob(['{"detail":"no"}']) }, "person", "is JSON, not an image"],
  [{ person: new Blob(["<svg></svg>"]) }, "person", "is SVG or XML, not an image"],
  [{ person: new Blob([base64]) }, "person", "is text, not an image"],
  [{ person: large }, "person", "has 10500001 bytes, and the limit is 10500000"],
  [{ person: 7 }, "person", "is not an image"],
  [{ person_image_b64: base64 }, "person", "replaces person_url or person_image_b64"],
  [{ garment_urls: [shirtUrl] }, "garments", "replaces garment_urls or garment_images_b64"],
  [{ output_size: "8K" }, "output_size", "is not one of 1K, 2K and 4K"],
  [{ prompt: text(1_001) }, "prompt", "has 1001 characters, and the limit is 1000"],
  [{ style_hint: text(501) }, "style_hint", "has 501 characters, and the limit is 500"],
  [{ negative_prompt: text(501) }, "negative_prompt", "has 501 characters, and the limit is 500"],
  [{ seed: -1 }, "seed", "is not a whole number from 0 to 2147483647"],
  [{ seed: 2_147_483_648 }, "seed", "is not a whole number from 0 to 2147483647"],
  [{ metadata: nineKeys }, "metadata", "has 9 keys, and the limit is 8"],
  [{ metadata: { a: text(257) } }, "metadata.a", "has 257 characters, and the limit is 256"],
  [{ metadata: ["a"] }, "metadata", "is not an object"],
  [{ webhook_url: "http://a.example" }, "webhook_url", "is not an https URL"],
  [{ webhook_url: `https://a.example/${text(2_000)}` }, "webhook_url", "has 2018 characters"],
  [{ metadata: { a: 1n } }, "input", "cannot be written as JSON. Remove bigints"],
  [{ metadata: circular }, "input", "cannot be written as JSON"],
  [{ outputSize: "2K" }, "outputSize", "is not a field of a try-on (did you mean output_size?)"],
  [{ garment_url: "" }, "garment_url", "is not a field of a try-on (did you mean garment_urls?)"],
  [{ weather: "sun" }, "weather", "is not a field of a try-on. Send new fields in extra"],
  [
    { extra: { output_size: "4K" } },
    "extra.output_size",
    "is not a new field: set output_size instead",
  ],
  [{ extra: { size: "4K" } }, "extra.size", "is not a new field: set size instead"],
  [{ extra: { person: "4K" } }, "extra.person", "is not a new field: set person instead"],
  [{ extra: { wait: "4K" } }, "extra.wait", "is not a new field: set wait instead"],
  [{ extra: ["a"] }, "extra", "is not an object"],
];

describe("an invalid input is rejected before anything is sent:", () => {
  it.each<readonly [field: string, problem: string, given: unknown]>([
    ["input", "is not an object with person and garments", undefined],
    ...invalid.map(([change, ...issue]) => [...issue, { ...input, ...change }] as const),
  ])("%s %s", async (field, problem, given) => {
    const { error, tryon, sent } = createService();
    // JavaScript callers can pass anything.
    const failed = await error(tryon.run(given as TryOnInput));
    if (!isTryOnError(failed, "invalid_input")) throw failed;
    expect(failed.field(field)).toBeDefined();
    expect(failed.message).toContain(`${field} ${problem}`);
    expect(sent).toEqual([]);
  });
});

const page = new Blob(["<!doctype html><p>Not found"]);
const bad = {
  person: page,
  garments: ["http://shop.example/a.png", new Uint8Array(), "me.jpg", shirtUrl],
  output_size: "8K",
  prompt: "a".repeat(1_001),
  style_hint: "loose",
  seed: -1,
  metadata: { long: "a".repeat(257) },
  webhook_url: "http://shop.example/hook",
};
const errors = [
  ["garments", "count"],
  ["garments.0", "not_https"],
  ["garments.2", "not_https"],
  ["prompt", "too_long"],
  ["output_size", "not_allowed"],
  ["seed", "not_allowed"],
  ["metadata.long", "too_long"],
  ["webhook_url", "not_https"],
  ["person", "not_an_image"],
  ["garments.1", "empty"],
];
/** Input of a JavaScript caller, who can pass anything. */
const untyped = (value: unknown): TryOnInput => value as TryOnInput;

describe("validate", () => {
  it("returns all issues at once, which reject a submission, and sends nothing", async () => {
    const { tryon, gathered } = recordingClient();
    const issues = await tryon.validate(untyped(bad));
    const found = issues.filter(({ severity }) => severity === "error");
    expect(found.map(({ field, code }) => [field, code])).toEqual(errors);
    expect(found.find(({ field }) => field === "prompt")).toEqual({
      field: "prompt",
      code: "too_long",
      severity: "error",
      message: "prompt has 1001 characters, and the limit is 1000.",
      bound: 1_000,
    });
    expect(found.every(({ message }) => message.length < 200)).toBe(true);
    await expect(tryon.submit(untyped(bad))).rejects.toMatchObject({
      code: "invalid_input",
      issues: errors.map(([field, code]) => ({ field, code })),
    });
    expect(gathered).toEqual([]);
  });

  it("warns of what deployments may reject, of ignored fields and of unknown formats", async () => {
    const { tryon } = recordingClient();
    const issues = await tryon.validate({
      person_url: personUrl,
      person_image_b64: "AAECAw==",
      garment_urls: [`${shirtUrl}?${text(3_000)}`],
      prompt: "tucked in",
      style_hint: "loose",
      metadata: { nested: { sku: text(246) }, longer: { sku: text(247) } },
    });
    expect(issues.map(({ field, code, severity }) => [field, code, severity])).toEqual([
      ["metadata.longer", "long_json", "warning"],
      ["style_hint", "ignored", "warning"],
      ["person_url", "ignored", "warning"],
      ["person_image_b64", "unknown_image", "warning"],
    ]);
  });

  it("suggests other kinds of images only for images", async () => {
    const hint = "Use an https URL, a Blob (fs.openAsBlob in Node), bytes or { base64 }.";
    const local = { ...input, person: "me.jpg", webhook_url: "hook" };
    expect((await recordingClient().tryon.validate(local)).map((issue) => issue.hint)).toEqual([
      hint,
      undefined,
    ]);
  });

  it("returns no issue for a valid input of any format", async () => {
    const { tryon } = recordingClient();
    for (const format of ["jpeg", "png", "webp", "gif"] as const) {
      const photo = flat({ width: 512, height: 512 }).toFormat(format);
      const person = await photo.toBuffer();
      const garments = [{ base64: person.toString("base64") }, shirtUrl] as const;
      expect(await tryon.validate({ person, garments, size: "4k" })).toEqual([]);
    }
    expect(await tryon.validate(input)).toEqual([]);
  });

  it.each([undefined, null, 7, "me.jpg", [], { person: 7, garments: 7, metadata: { a: 1n } }])(
    "returns issues for any invalid value: %o",
    async (given) => {
      const issues = await recordingClient().tryon.validate(untyped(given));
      expect(issues.length).toBeGreaterThan(0);
    },
  );

  it("reads the first bytes of a blob, and nothing of a response or a stream", async () => {
    const { tryon, gathered } = recordingClient();
    const person = new CountedBlob(jpegBytes(5_000_000));
    const response = new Response(jpegBytes(100));
    const stream = new Response(jpegBytes(100)).body ?? "";
    const given = { person, garments: [response, stream] as const };
    expect(await tryon.validate(given)).toEqual([]);
    expect(person.readings).toBe(1);
    await tryon.submit(given);
    expect(parseBody(gathered[0]?.bytes ?? jpegBytes(0))["garment_images_b64"]).toHaveLength(2);
  });
});

describe("run and submit", () => {
  it("log all warnings once, and send the input", async () => {
    const warn = vi.fn<(message: string) => void>();
    const { tryon, gathered } = recordingClient([503], { logger: { warn } });
    await tryon.submit({
      ...input,
      person: new Uint8Array([0, 1, 2]),
      style_hint: "a",
      prompt: "b",
    });
    expect(gathered).toHaveLength(2);
    expect(warn.mock.calls).toEqual([
      [
        "style_hint has no effect with prompt. person is not in a known image format.",
        expect.objectContaining({ length: 2 }),
      ],
    ]);
  });

  it("send any input that can be sent without validation", async () => {
    const given = untyped({
      person: 'http://"shop',
      garments: [page, { base64: 'not "base64' }],
      output_size: "8k",
      seed: -1,
    });
    const warn = vi.fn<() => void>();
    const everywhere = recordingClient([], { validate: false, logger: { warn } });
    await everywhere.tryon.submit(given);
    const once = recordingClient([], { logger: { warn } });
    await once.tryon.submit(given, { validate: false });
    for (const { gathered } of [everywhere, once]) {
      expect(parseBody(gathered[0]?.bytes ?? jpegBytes(0))).toEqual({
        person_url: 'http://"shop',
        garment_images_b64: [
          Buffer.from(await page.arrayBuffer()).toString("base64"),
          'not"base64==',
        ],
        output_size: "8K",
        seed: -1,
        wait: false,
      });
    }
    expect(warn).not.toHaveBeenCalled();
    const impossible = once.tryon.submit(untyped({ person: 7, garments: 7 }), { validate: false });
    await expect(impossible).rejects.toMatchObject({
      issues: [{ code: "not_a_list" }, { code: "wrong_kind" }, { code: "wrong_kind" }],
    });
  });
});
