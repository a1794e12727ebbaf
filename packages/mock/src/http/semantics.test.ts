import { describe, expect, test } from "vitest";

import { notingServer } from "../../test/noting-server.ts";
import { pixel, garmentUrl, headed, personUrl } from "../../test/images.ts";
import { covers } from "../../test/covers.ts";

const base = { garment_urls: [garmentUrl], wait: false };
const megabytes10 = 10_500_000;

describe("a request that has the right form and makes no try-on", () => {
  const big = Buffer.alloc(megabytes10 + 1);
  big.write("\u0089PNG\r\n\u001A\n", "latin1");

  test.each([
    ["no person", { garment_urls: [garmentUrl] }, /person.*person_url.*person_image_b64/],
    ["an empty person", { ...base, person_url: "", person_image_b64: "" }, /person is missing/],
    ["no garment", { person_url: personUrl }, /garment.*1 to 3/],
    [
      "no garment in empty lists",
      { person_url: personUrl, garment_urls: [], items: [] },
      /garment/,
    ],
    [
      "4 garments in all",
      {
        person_url: personUrl,
        garment_urls: [garmentUrl, garmentUrl],
        garment_images_b64: [pixel, pixel],
      },
      /have 4 .*maximum is 3/,
    ],
    ["base64 that is none", { ...base, person_image_b64: "ab$c" }, /^person_image_b64: .*base64/],
    [
      "base64 of a wrong length",
      { ...base, person_image_b64: "abcde" },
      /^person_image_b64: .*base64/,
    ],
    ["URL-safe base64", { ...base, person_image_b64: "iVBO-_==" }, /^person_image_b64: .*base64/],
    [
      "base64 in lines",
      { ...base, person_image_b64: `${pixel.slice(0, 76)}\n${pixel.slice(76)}` },
      /base64/,
    ],
    [
      "a data: prefix",
      { ...base, person_image_b64: `data:image/png;base64,${pixel}` },
      /^person_image_b64: .*remove/,
    ],
    [
      "bytes that are no image",
      { ...base, person_image_b64: headed("<!doctype html>") },
      /^person_image_b64: is not an image.*JPEG, PNG/,
    ],
    [
      "a garment whose base64 is none",
      { person_url: personUrl, garment_images_b64: [pixel, "ab$c"] },
      /^garment_images_b64\[1\]: .*base64/,
    ],
    [
      "a garment with a data: prefix",
      { person_url: personUrl, garment_images_b64: [`data:image/png;base64,${pixel}`] },
      /^garment_images_b64\[0\]: .*remove/,
    ],
    ["an SVG", { ...base, person_image_b64: headed("<svg xmlns") }, /not an image/],
    [
      "an empty garment",
      { person_url: personUrl, garment_images_b64: [pixel, ""] },
      /^garment_images_b64\[1\]: is empty/,
    ],
    [
      "a garment over 10 MB",
      { person_url: personUrl, garment_images_b64: [big.toString("base64")] },
      /^garment_images_b64\[0\]: image too large: 10500001.*10500000/,
    ],
    ["an address that is none", { ...base, person_url: "me.png" }, /^person_url: invalid URL/],
    [
      "an address without TLS",
      { ...base, person_url: "http://a.example/me.png" },
      /^person_url: .*https/,
    ],
    [
      "an empty address in a list",
      { person_url: personUrl, garment_urls: [""] },
      /^garment_urls\[0\]: invalid URL/,
    ],
  ])("is refused with 400 for %s", async (_what, body, detail) => {
    covers(
      "service.try-on.input",
      "request.person.required",
      "request.garments.at-least-one",
      "request.garments.at-most-three",
      "request.person-url.https",
      "request.garment-urls.https",
      "request.person-image-b64.base64",
      "request.person-image-b64.no-data-prefix",
      "request.garment-images-b64.base64",
      "request.garment-images-b64.decoded-size",
      "request.images.exact-bound-and-kinds",
      "submit.400.bad-url",
      "submit.400.image-too-large",
      "submit.validation.400-or-422",
    );
    const { mock, call, post } = notingServer();
    const refused = await post(body);
    expect(refused.status).toBe(400);
    expect(refused.detail).toMatch(detail);
    expect(refused.detail.length).toBeLessThan(300);
    expect((await call.list()).body.jobs).toEqual([]);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000);
  });

  test("is refused with 422 when person_image_b64 alone is over 14,000,000 characters", async () => {
    covers("request.person-image-b64.max-length");
    const { post } = notingServer();
    const refused = await post({ ...base, person_image_b64: "A".repeat(14_000_001) });
    expect(refused.problems).toMatchObject([
      {
        loc: ["body", "person_image_b64"],
        type: "string_too_long",
        ctx: { max_length: 14_000_000 },
      },
    ]);
    expect(JSON.stringify(refused.body).length).toBeLessThan(400);
  });

  test("is taken with an image of exactly 14,000,000 characters", async () => {
    covers(
      "request.person-image-b64.max-length",
      "request.garment-images-b64.decoded-size",
      "request.images.exact-bound-and-kinds",
    );
    const { post } = notingServer();
    const image = headed("\u00FF\u00D8\u00FF", megabytes10);
    expect(image.length).toBe(14_000_000);
    expect((await post({ ...base, person_image_b64: image })).status).toBe(200);
    const garments = { garment_images_b64: [image, pixel] };
    expect((await post({ ...garments, person_url: personUrl, wait: false })).status).toBe(200);
  });
});

describe("the kinds of images that are taken", () => {
  test.each([
    ["JPEG", "\u00FF\u00D8\u00FF\u00E0"],
    ["PNG", "\u0089PNG\r\n\u001A\n"],
    ["WebP", "RIFF\u0000\u0000\u0000\u0000WEBP"],
    ["GIF", "GIF89a"],
    ["AVIF", "\u0000\u0000\u0000\u0018ftypavif"],
    ["HEIC", "\u0000\u0000\u0000\u0018ftypheic"],
    ["HEIC of another brand", "\u0000\u0000\u0000\u0018ftypmif1"],
  ])("are told by their first bytes: %s", async (_kind, head) => {
    covers("request.images.exact-bound-and-kinds");
    const { post } = notingServer();
    expect((await post({ ...base, person_image_b64: headed(head) })).status).toBe(200);
  });

  test.each([
    "RIFF\u0000\u0000\u0000\u0000WAVE",
    "\u0000\u0000\u0000\u0018ftypmp42",
    "GIF90a",
    "BM",
    "%PDF",
  ])("are none with %j", async (head) => {
    covers("request.images.exact-bound-and-kinds");
    const { post } = notingServer();
    expect((await post({ ...base, person_image_b64: headed(head) })).status).toBe(400);
  });

  test("may be unpadded", async () => {
    const { post } = notingServer();
    const unpadded = pixel.replace(/=+$/, "");
    expect((await post({ ...base, person_image_b64: unpadded })).status).toBe(200);
  });
});
