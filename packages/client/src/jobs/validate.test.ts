import { describe, expect, it, vi } from "vitest";

import type { TryOnInput } from "../index.ts";
import { recordingClient, parseBody, jpegBytes, CountedBlob } from "../../test/bodies.ts";
import { input, personUrl, shirtUrl } from "../../test/service.ts";

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
  it("returns all issues at once, and sends nothing", async () => {
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
    expect(gathered).toEqual([]);
  });

  it("warns of ignored fields and unknown formats", async () => {
    const { tryon } = recordingClient();
    const issues = await tryon.validate({
      person_url: personUrl,
      person_image_b64: "AAECAw==",
      garment_urls: [shirtUrl],
      prompt: "tucked in",
      style_hint: "loose",
    });
    expect(issues.map(({ field, code, severity }) => [field, code, severity])).toEqual([
      ["style_hint", "ignored", "warning"],
      ["person_url", "ignored", "warning"],
      ["person_image_b64", "unknown_image", "warning"],
    ]);
  });

  it("returns no issue for a valid input of any format", async () => {
    const { tryon } = recordingClient();
    for (const head of [
      "\u0089PNG\r\n\u001A\n",
      "RIFF....WEBPVP8 ",
      "GIF89a",
      "....ftypavif",
      "....ftypheic",
      "\u00FF\u00D8\u00FF\u00E0",
    ]) {
      const person = Buffer.from(head.padEnd(80, "\0"), "latin1");
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
  it("reject an input with all its issues", async () => {
    const { tryon, gathered } = recordingClient();
    const error: unknown = await tryon.submit(untyped(bad)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: "invalid_input",
      issues: errors.map(([field, code]) => ({ field, code })),
    });
    expect(gathered).toEqual([]);
  });

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
