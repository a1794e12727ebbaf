import sharp, { type Sharp } from "sharp";
import { beforeAll, describe, expect, test } from "vitest";

import { createMock } from "../../mock.ts";
import type { TryOnJobStatus } from "../../generated/openapi.ts";
import { caller } from "../../testing/caller.ts";
import { asset, assetBytes, garmentUrl, headed, personUrl } from "../../testing/pictures.ts";
import { shows } from "../../testing/shows.ts";
import type { Engine } from "../engine.ts";
import { compositeEngine } from "./composite.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await compositeEngine();
});

/** Runs a job to its end and gives it with its picture. */
async function run(
  fields: Record<string, unknown>,
): Promise<{ job: TryOnJobStatus; png: Uint8Array }> {
  const mock = createMock({ clock: "manual", engine });
  const call = caller(mock);
  const { body } = await call.post<{ job_id: string }>("/api/v1/tryon", { wait: false, ...fields });
  await mock.clock.advance("2s");
  const job = (await call.poll(body.job_id)).body;
  if (job.result_url === null) return { job, png: new Uint8Array() };
  const response = await mock.fetch(job.result_url ?? "");
  return { job, png: new Uint8Array(await response.arrayBuffer()) };
}

interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The mean difference of two pictures in a region, 0 to 255 for each channel. */
async function difference(a: Sharp, b: Sharp, region: Region): Promise<number> {
  const pixels = async (picture: Sharp): Promise<Buffer> =>
    sharp(await picture.png().toBuffer())
      .extract(region)
      .removeAlpha()
      .raw()
      .toBuffer();
  const [first, second] = await Promise.all([pixels(a), pixels(b)]);
  expect(first.length).toBe(second.length);
  return (
    first.reduce((sum, value, index) => sum + Math.abs(value - (second[index] ?? 0)), 0) /
    first.length
  );
}

const photo = () =>
  sharp(assetBytes("person.jpg")).autoOrient().resize(768, 1_024, { fit: "inside" });

describe("the composite picture", () => {
  test("is at the asked size the person's own photo where nothing lies over it", async () => {
    shows("service.try-on.one-picture");
    const { job, png } = await run({
      person_image_b64: asset("person.jpg"),
      garment_urls: [garmentUrl],
    });
    expect(job).toMatchObject({ status: "succeeded", result_width: 768, result_height: 1_024 });
    const left = { left: 20, top: 20, width: 150, height: 900 };
    expect(await difference(sharp(png), photo(), left)).toBeLessThan(2);
    const shuffled = photo().flop();
    expect(await difference(sharp(png), shuffled, left)).toBeGreaterThan(4);
  });

  test("has every garment on a card, and the first laid over the person", async () => {
    shows("service.try-on.input", "service.try-on.one-picture");
    const garments = ["shirt.png", "jacket.webp", "hat.png"] as const;
    const { png } = await run({
      person_image_b64: asset("person.jpg"),
      garment_images_b64: garments.map((name) => asset(name)),
    });
    const side = Math.round(768 * 0.24);
    const margin = Math.round(768 * 0.03);
    const inner = Math.round(side * 0.88);
    for (const [index, name] of garments.entries()) {
      const card = sharp({
        create: { width: 768, height: 1_024, channels: 4, background: "#fff" },
      });
      const garment = await sharp(assetBytes(name))
        .resize(inner, inner, { fit: "inside" })
        .png()
        .toBuffer();
      const { width, height } = await sharp(garment).metadata();
      const middle = {
        left: 768 - side - margin + Math.floor(side / 2),
        top: margin + index * (side + margin) + Math.floor(side / 2),
      };
      const place = {
        left: middle.left - Math.floor(width / 2),
        top: middle.top - Math.floor(height / 2),
      };
      const expected = sharp(
        await card
          .composite([{ input: garment, ...place }])
          .png()
          .toBuffer(),
      );
      const region = { left: middle.left - 30, top: middle.top - 30, width: 60, height: 60 };
      expect(await difference(sharp(png), expected, region), name).toBeLessThan(12);
    }
    const chest = { left: 340, top: 330, width: 80, height: 80 };
    expect(await difference(sharp(png), photo(), chest)).toBeGreaterThan(8);
  });

  test.each([
    ["2K", 1_536, 2_048],
    ["4K", 3_072, 4_096],
  ])(
    "is at %s of exactly %i × %i pixels, and as long as the job says",
    async (output_size, width, height) => {
      const { job, png } = await run({
        output_size,
        person_image_b64: asset("person.jpg"),
        garment_images_b64: [asset("shirt.png")],
      });
      expect(await sharp(png).metadata()).toMatchObject({
        format: "png",
        width,
        height,
        hasAlpha: false,
      });
      expect(job).toMatchObject({
        result_width: width,
        result_height: height,
        result_bytes: png.length,
      });
    },
  );

  test("keeps the size for photos of another shape", async () => {
    const wide = await sharp({
      create: { width: 900, height: 100, channels: 3, background: "#123456" },
    })
      .jpeg()
      .toBuffer();
    const { png } = await run({
      person_image_b64: wide.toString("base64"),
      garment_urls: [garmentUrl],
    });
    expect(await sharp(png).metadata()).toMatchObject({ width: 768, height: 1_024 });
  });

  test("is the same for the same request", async () => {
    const fields = {
      person_image_b64: asset("person.jpg"),
      garment_images_b64: [asset("hat.png")],
    };
    const [first, second] = [await run(fields), await run(fields)];
    expect(Buffer.from(first.png).equals(second.png)).toBe(true);
  });
});

describe("a picture without bytes that can be decoded", () => {
  const heic = headed("\u0000\u0000\u0000\u0018ftypheic");

  test.each([
    [
      "addresses",
      { person_url: personUrl, garment_urls: [garmentUrl, "https://[2606:4700::1]/g.png"] },
    ],
    ["HEIC", { person_image_b64: heic, garment_images_b64: [heic] }],
  ])("becomes a labelled placeholder: %s", async (_what, fields) => {
    const { job, png } = await run(fields);
    expect(job).toMatchObject({ status: "succeeded", result_width: 768, result_height: 1_024 });
    expect(await sharp(png).metadata()).toMatchObject({ width: 768, height: 1_024 });
    const card = await sharp(png)
      .extract({ left: 48, top: 48, width: 220, height: 220 })
      .greyscale()
      .stats();
    expect(card.channels[0]?.min).toBeLessThan(80);
  });

  test("makes the job fail, and no error of the server, when it is broken", async () => {
    const broken = assetBytes("person.jpg").subarray(0, 5_000).toString("base64");
    const { job } = await run({ person_image_b64: broken, garment_urls: [garmentUrl] });
    expect(job).toMatchObject({
      status: "failed",
      error_code: "generation_failed",
      error_message: "model_rejected",
      result_url: null,
    });
  });

  test("makes the job fail when only a garment is broken", async () => {
    const { job } = await run({
      person_image_b64: asset("person.jpg"),
      garment_images_b64: [headed("\u0089PNG\r\n\u001A\n")],
    });
    expect(job.status).toBe("failed");
  });
});
