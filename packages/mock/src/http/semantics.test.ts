import { describe, expect, test } from "vitest";

import { manualServer } from "../../test/caller.ts";
import { recordingServer } from "../../test/recording-server.ts";
import { pixel, garmentUrl, headed, personUrl } from "../../test/images.ts";
import { covers } from "../../test/covers.ts";

const base = { garment_urls: [garmentUrl], wait: false };
const megabytes10 = 10_500_000;
const person = (person_image_b64: string) => ({ ...base, person_image_b64 });
const garments = (...garment_images_b64: string[]) => ({
  person_url: personUrl,
  garment_images_b64,
});
const four = { ...garments(pixel, pixel), garment_urls: [garmentUrl, garmentUrl] };
const lines = `${pixel.slice(0, 76)}\n${pixel.slice(76)}`;
const dataUrl = `data:image/png;base64,${pixel}`;

describe("a request of valid form", () => {
  const big = Buffer.alloc(megabytes10 + 1);
  big.write("\u0089PNG\r\n\u001A\n", "latin1");

  test.each([
    ["without a person", base, /person.*person_url.*person_image_b64/],
    ["with an empty person", { ...person(""), person_url: "" }, /person is missing/],
    ["without a garment", { person_url: personUrl }, /garment.*1 to 3/],
    ["with empty lists", { person_url: personUrl, garment_urls: [], items: [] }, /garment/],
    ["with 4 garments in all", four, /have 4 .*maximum is 3/],
    ["with invalid base64", person("ab$c"), /^person_image_b64: .*base64/],
    ["with base64 of a wrong length", person("abcde"), /^person_image_b64: .*base64/],
    ["with URL-safe base64", person("iVBO-_=="), /^person_image_b64: .*base64/],
    ["with base64 in lines", person(lines), /base64/],
    ["with a data: prefix", person(dataUrl), /^person_image_b64: .*remove/],
    ["with HTML", person(headed("<!doctype html>")), /^person_image_b64: .*image.*JPEG, PNG/],
    ["with an SVG", person(headed("<svg xmlns")), /not an image/],
    ["with an invalid garment", garments(pixel, "ab$c"), /^garment_images_b64\[1\]: .*base64/],
    ["with a prefixed garment", garments(dataUrl), /^garment_images_b64\[0\]: .*remove/],
    ["with an empty garment", garments(pixel, ""), /^garment_images_b64\[1\]: is empty/],
    [
      "with a garment over 10 MB",
      garments(big.toString("base64")),
      /^garment_images_b64\[0\]: image too large: 10500001.*10500000/,
    ],
    ["with an invalid URL", { ...base, person_url: "me.png" }, /^person_url: invalid URL/],
    [
      "with an http URL",
      { ...base, person_url: "http://a.example/me.png" },
      /^person_url: .*https/,
    ],
    [
      "with an empty garment URL",
      { person_url: personUrl, garment_urls: [""] },
      /^garment_urls\[0\]: invalid URL/,
    ],
  ])("%s gets a 400", async (_case, body, detail) => {
    covers(
      "request.person.required",
      "request.garments.at-least-one",
      "request.garment-images-b64.base64",
      "submit.400.image-too-large",
    );
    const { mock, call, post } = recordingServer();
    const refused = await post(body);
    expect(refused.status).toBe(400);
    expect(refused.detail).toMatch(detail);
    expect(refused.detail.length).toBeLessThan(300);
    expect((await call.list()).body.jobs).toEqual([]);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000);
  });

  test("can have garments with a data: prefix with garmentDataUris true", async () => {
    covers("request.person-image-b64.no-data-prefix");
    const { call } = manualServer({ options: { garmentDataUris: true } });
    const submit = (body: object) => call.post("/api/v1/tryon", { wait: false, ...body });
    expect((await submit(garments(dataUrl, pixel))).status).toBe(200);
    const refused = await submit(garments("data:image/png;base64,ab$c"));
    expect(refused.detail).toMatch(/^garment_images_b64\[0\]: .*base64/);
    expect((await submit(garments("data:text/plain,hi"))).status).toBe(400);
    expect((await submit(person(dataUrl))).detail).toMatch(/^person_image_b64: .*remove/);
  });

  test("has at most 14,000,000 characters of base64; the error repeats only their start", async () => {
    covers("request.person-image-b64.max-length", "request.garment-images-b64.decoded-size");
    const { post } = recordingServer();
    const image = headed("\u00FF\u00D8\u00FF", megabytes10);
    expect(image.length).toBe(14_000_000);
    expect((await post(person(image))).status).toBe(200);
    expect((await post({ ...garments(image, pixel), wait: false })).status).toBe(200);
    const refused = await post(person(`${image}A`));
    const loc = ["body", "person_image_b64"];
    const ctx = { max_length: 14_000_000 };
    expect(refused.problems).toMatchObject([{ loc, type: "string_too_long", ctx }]);
    expect(JSON.stringify(refused.body).length).toBeLessThan(400);
  });

  test.each([
    ["a JPEG", headed("\u00FF\u00D8\u00FF\u00E0"), 200],
    ["a PNG", headed("\u0089PNG\r\n\u001A\n"), 200],
    ["a WebP", headed("RIFF\u0000\u0000\u0000\u0000WEBP"), 200],
    ["a GIF", headed("GIF89a"), 200],
    ["an AVIF", headed("\u0000\u0000\u0000\u0018ftypavif"), 200],
    ["a HEIC", headed("\u0000\u0000\u0000\u0018ftypheic"), 200],
    ["a HEIC of another brand", headed("\u0000\u0000\u0000\u0018ftypmif1"), 200],
    ["unpadded base64", pixel.replace(/=+$/, ""), 200],
    ["a WAV", headed("RIFF\u0000\u0000\u0000\u0000WAVE"), 400],
    ["an MP4", headed("\u0000\u0000\u0000\u0018ftypmp42"), 400],
    ["an unknown GIF version", headed("GIF90a"), 400],
    ["a BMP", headed("BM"), 400],
    ["a PDF", headed("%PDF"), 400],
  ])("with %s is checked by its first bytes", async (_kind, image, status) => {
    covers("request.images.exact-bound-and-kinds");
    expect((await recordingServer().post(person(image))).status).toBe(status);
  });
});
