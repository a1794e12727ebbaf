import { deflateSync } from "node:zlib";

import sharp, { type Sharp } from "sharp";
import { beforeAll, describe, expect, test } from "vitest";

import type { TryOnJobStatus } from "@tryon/spec/openapi";
import { caller, manualServer } from "../../../test/caller.ts";
import { asset, assetBytes, garmentUrl, headed, personUrl } from "../../../test/images.ts";
import { renderRequest } from "../../../test/recording-server.ts";
import { turn } from "../../system/host.ts";
import type { Engine, RenderRequest } from "../engine.ts";
import { pngChunk } from "@tryon/shared/png";
import { encodeIndexed } from "../png.ts";
import { compositeEngine } from "./composite.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await compositeEngine();
});

/** Runs a job to its end, and returns it with its image. */
async function run(
  fields: Record<string, unknown>,
): Promise<{ job: TryOnJobStatus; png: Uint8Array }> {
  const { mock, call } = manualServer({ engine });
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

/** Returns the mean difference of two images in a region, from 0 to 255. */
async function difference(a: Sharp, b: Sharp, region: Region): Promise<number> {
  const pixels = async (image: Sharp): Promise<Buffer> =>
    sharp(await image.png().toBuffer())
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

const person = { person_image_b64: asset("person.jpg") };
const hat = asset("hat.png");
const withUrl = { ...person, garment_urls: [garmentUrl] };
const photo = () =>
  sharp(assetBytes("person.jpg")).autoOrient().resize(768, 1_024, { fit: "inside" });

describe("the composite image", () => {
  test("shows the person's photo in the output size", async () => {
    const { job, png } = await run(withUrl);
    expect(job).toMatchObject({ status: "succeeded", result_width: 768, result_height: 1_024 });
    const left = { left: 20, top: 20, width: 150, height: 900 };
    expect(await difference(sharp(png), photo(), left)).toBeLessThan(2);
    const shuffled = photo().flop();
    expect(await difference(sharp(png), shuffled, left)).toBeGreaterThan(4);
  });

  test("shows each garment on a card, and the first one on the person", async () => {
    const garments = ["shirt.png", "jacket.webp", "hat.png"] as const;
    const { png } = await run({ ...person, garment_images_b64: garments.map(asset) });
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

  test("says MOCK in each third of its band, since a page may show only a part of it", async () => {
    const { png } = await run(withUrl);
    // A third of the text has 13 characters. Between words, the band is dark.
    const words = [96, 305, 514].map((left) => ({ left, top: 982, width: 68, height: 42 }));
    for (const word of words) {
      const { channels } = await sharp(png).extract(word).greyscale().stats();
      expect(channels[0]?.max).toBeGreaterThan(240);
    }
    const [first, ...others] = await Promise.all(
      words.map((word) => sharp(png).extract(word).png().toBuffer()),
    );
    const size = { left: 0, top: 0, width: 68, height: 42 };
    for (const other of others) {
      expect(await difference(sharp(other), sharp(first), size)).toBeLessThan(20);
    }
  });

  test.each([
    ["2K", 1_536, 2_048],
    ["4K", 3_072, 4_096],
  ])(
    "has for %s exactly %i × %i pixels and the size that the job reports",
    async (output_size, width, height) => {
      const { job, png } = await run({ ...withUrl, output_size });
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

  test("has the same size for photos with another aspect ratio", async () => {
    const create = { width: 900, height: 100, channels: 3, background: "#123456" } as const;
    const wide = await sharp({ create }).jpeg().toBuffer();
    const { png } = await run({ ...withUrl, person_image_b64: wide.toString("base64") });
    expect(await sharp(png).metadata()).toMatchObject({ width: 768, height: 1_024 });
  });

  test("has the same bytes for the same request", async () => {
    const fields = { ...person, garment_images_b64: [asset("hat.png")] };
    const [first, second] = [await run(fields), await run(fields)];
    expect(Buffer.from(first.png).equals(second.png)).toBe(true);
  });
});

describe("an image that cannot be decoded", () => {
  const heic = headed("\u0000\u0000\u0000\u0018ftypheic");

  test.each([
    ["URLs", { person_url: personUrl, garment_urls: [garmentUrl, "https://[2606:4700::1]/g.png"] }],
    ["HEIC", { person_image_b64: heic, garment_images_b64: [heic] }],
  ])("becomes a labeled placeholder: %s", async (_what, fields) => {
    const { job, png } = await run(fields);
    expect(job).toMatchObject({ status: "succeeded", result_width: 768, result_height: 1_024 });
    expect(await sharp(png).metadata()).toMatchObject({ width: 768, height: 1_024 });
    const card = await sharp(png)
      .extract({ left: 48, top: 48, width: 220, height: 220 })
      .greyscale()
      .stats();
    expect(card.channels[0]?.min).toBeLessThan(80);
  });

  test("fails the job if it is corrupt", async () => {
    const broken = assetBytes("person.jpg").subarray(0, 5_000).toString("base64");
    const { job } = await run({ ...withUrl, person_image_b64: broken });
    expect(job).toMatchObject({
      status: "failed",
      error_code: "generation_failed",
      error_message: "model_rejected",
      result_url: null,
    });
  });

  test("fails the job if only a garment is corrupt", async () => {
    const garment = headed("\u0089PNG\r\n\u001A\n");
    const { job } = await run({ ...person, garment_images_b64: [garment] });
    expect(job.status).toBe("failed");
  });
});

/** Creates a PNG with many pixels in few bytes. */
function blackPng(width: number, height: number): Buffer {
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(width / 2)) * height), { level: 1 });
  const data = pngChunk("IDAT", rows);
  return Buffer.from(encodeIndexed({ width, height, data, palette: [0], comment: "" }));
}

const photoOf = (read: () => Buffer): RenderRequest => {
  const bytes = () => new Uint8Array(read());
  const image = { field: "person_image_b64", source: "bytes", mediaType: "image/png" } as const;
  return renderRequest({ person: { ...image, bytes }, garments: [], width: 30, height: 40 });
};

describe("the memory of the composite engine", () => {
  test.each([
    ["person_image_b64", (large: string) => ({ ...withUrl, person_image_b64: large })],
    ["garment_images_b64[1]", (large: string) => ({ ...person, garment_images_b64: [hat, large] })],
  ])("excludes a %s over 50 million pixels, with a 400 and no charge", async (field, fieldsOf) => {
    const { mock, call } = manualServer({ engine });
    const fields = fieldsOf(blackPng(10_001, 5_000).toString("base64"));
    const rejected = await call.post("/api/v1/tryon", { wait: false, ...fields });
    expect([rejected.status, rejected.detail]).toEqual([
      400,
      `${field}: image too large: 10001 × 5000 pixels, the maximum is 50000000.`,
    ]);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000);
    const allowed = blackPng(10_000, 5_000).toString("base64");
    const accepted = caller(mock, mock.keys.test).submit({ person_image_b64: allowed });
    expect((await accepted).status).toBe(200);
  });

  test("excludes such an image also if an app calls the engine directly", async () => {
    const large = blackPng(15_000, 15_000);
    await expect(engine.render(photoOf(() => large))).rejects.toThrow("pixel limit");
  });

  test("is limited to two concurrent renders, also after a failure", async () => {
    const open = new Set<number>();
    const counts: number[] = [];
    const renders = Array.from({ length: 7 }, async (_unused, index) => {
      const read = (): Buffer => {
        open.add(index);
        // By then, the set contains only renders in progress.
        void turn().then(() => counts.push(open.size));
        return index % 3 === 0 ? Buffer.from("broken") : blackPng(30, 40);
      };
      await engine.render(photoOf(read)).finally(() => open.delete(index));
    });
    const outcomes = await Promise.allSettled(renders);
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual(
      outcomes.map((_outcome, index) => index % 3 !== 0),
    );
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });
});
