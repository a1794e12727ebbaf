import { createReadStream } from "node:fs";
import { Readable } from "node:stream";

import { assetPath } from "@tryon/test-kit/repository";
import { describe, expect, it } from "vitest";

import type { ImageInput } from "../index.ts";
import { jpegBytes, parseBody, recordingClient, rejectionOf } from "../../test/bodies.ts";
import { assetBytes, shirtUrl } from "../../test/service.ts";

const unchecked = { validate: false };
const missing = "/no/such/folder/me.jpg";
const imageHint = "Use an https URL, a Blob (fs.openAsBlob in Node), bytes or { base64 }.";

/** Creates a file as multer keeps it in memory. */
const memoryFile = (buffer: Uint8Array) => ({
  fieldname: "person",
  originalname: "me.jpg",
  mimetype: "image/jpeg",
  size: buffer.length,
  buffer,
});

/** Submits a person, and returns the bodies that were sent. */
async function submit(person: ImageInput): Promise<Record<string, unknown>[]> {
  const { tryon, gathered } = recordingClient([503]);
  await tryon.submit({ person, garments: [shirtUrl] });
  return gathered.map(({ bytes }) => parseBody(bytes));
}

it.each<[string, () => ImageInput, Uint8Array]>([
  ["a file", () => createReadStream(assetPath("person.jpg")), assetBytes("person.jpg")],
  ["chunks", () => Readable.from([jpegBytes(7), jpegBytes(9)]), concat(jpegBytes(7), jpegBytes(9))],
  ["a multer file in memory", () => memoryFile(jpegBytes(300_000)), jpegBytes(300_000)],
])("sends an image from %s, and the same one again after a failure", async (...row) => {
  const [, create, bytes] = row;
  const bodies = await submit(create());
  expect(bodies).toHaveLength(2);
  for (const { person_image_b64: base64 } of bodies) {
    expect(base64).toBe(Buffer.from(bytes).toString("base64"));
  }
});

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

describe("an input that cannot be an image", () => {
  it.each<[string, unknown, string, string]>([
    ["a path", "me.jpg", "not_https", 'person is not an https URL but the path "me.jpg".'],
    [
      "a multer file on disk",
      { originalname: "me.jpg", path: "/uploads/6f1c" },
      "wrong_kind",
      `person is not an image but the path "/uploads/6f1c". ${imageHint}`,
    ],
    [
      "a stream with an encoding",
      createReadStream(assetPath("person.jpg"), "utf8"),
      "wrong_kind",
      `person is not an image but a stream of text. ${imageHint}`,
    ],
    [
      "a web stream of text",
      new ReadableStream({ start: (controller) => controller.enqueue("text") }),
      "wrong_kind",
      "person is not an image but a stream of text.",
    ],
    ["a key", "svc_live_secret0123", "not_https", "person is not an https URL. "],
  ])("names %s", async (_what, person, code, message) => {
    const error = await rejectionOf(person);
    expect(error).toMatchObject({ code: "invalid_input", issues: [{ field: "person", code }] });
    expect(String(error)).toContain(message);
  });

  it("is a stream of a missing file, which is named", async () => {
    for (const error of [
      await rejectionOf(createReadStream(missing), unchecked),
      await rejectionOf(shirtUrl, unchecked, createReadStream(missing)),
    ]) {
      expect(error).toMatchObject({ issues: [{ code: "unreadable" }] });
      expect(String(error)).toContain(`could not be read (ENOENT "${missing}").`);
    }
  });

  it("is a stream that was read before", async () => {
    const stream = Readable.from([jpegBytes(9)]);
    await stream.toArray();
    expect(await rejectionOf(stream, unchecked)).toMatchObject({
      issues: [{ code: "unreadable" }],
    });
  });
});

it("reads nothing of a stream to validate it, and destroys one that is too large", async () => {
  let count = 0;
  const stream = new Readable({
    read() {
      count += 1;
      this.push(jpegBytes(1_000_000));
    },
  });
  const { tryon } = recordingClient();
  expect(await tryon.validate({ person: stream, garments: [shirtUrl] })).toEqual([]);
  expect(count).toBe(0);
  expect(await rejectionOf(stream, unchecked)).toMatchObject({ issues: [{ code: "too_large" }] });
  expect(stream.destroyed).toBe(true);
});
