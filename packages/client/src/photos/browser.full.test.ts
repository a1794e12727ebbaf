import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { isInstalled } from "@tryon/test-kit/installed-programs";
import type * as Client from "../index.ts";
import { bundleClient, openPage, startBrowser } from "../../test/browser.ts";
import {
  exif,
  flat,
  photos,
  createPhoto,
  quarterColors,
  quarters,
  quarterSides,
  withChunks,
} from "../../test/photos.ts";
import type * as Images from "../session/index.ts";

/** In the page, where callbacks of `page.evaluate` run. */
declare const client: typeof Client;
declare const prepareImage: typeof Images.prepareImage;

const hasChromium = await isInstalled("chromium");

describe.runIf(hasChromium)("prepareImage in a browser", () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let bundle: Awaited<ReturnType<typeof bundleClient>>;
  beforeAll(async () => {
    [browser, bundle] = await Promise.all([startBrowser(), bundleClient()]);
  });
  afterAll(() => browser.close());

  /** Prepares a photo in a page. Returns the image with the colors of its quarters, or the error. */
  async function prepare(photo: Buffer, options: Images.PrepareImageOptions = {}) {
    const { page, problems } = await openPage(browser, bundle);
    const prepared = await page.evaluate(
      async ({ base64, given }) => {
        const bytes = Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
        let image: Blob;
        try {
          image = await prepareImage(new File([bytes], "me.jpg"), given);
        } catch (error) {
          return { error: client.isTryOnError(error) ? error.toJSON() : String(error) };
        }
        const bitmap = await createImageBitmap(image);
        const { width, height } = bitmap;
        const canvas = new OffscreenCanvas(width, height);
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context?.drawImage(bitmap, 0, 0);
        const colors = [0.25, 0.75].flatMap((y) =>
          [0.25, 0.75].map((x) => [
            ...(context?.getImageData(width * x, height * y, 1, 1).data ?? []),
          ]),
        );
        const content = [...new Uint8Array(await image.arrayBuffer())];
        return { type: image.type, sides: { width, height }, colors, content };
      },
      { base64: photo.toString("base64"), given: options },
    );
    expect(problems).toEqual([]);
    return prepared;
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "turns EXIF orientation %i upright, and removes the location",
    async (orientation) => {
      const photo = await quarters(orientation);
      for (const format of ["jpeg", "webp"] as const) {
        const { type, sides, colors, content } = await prepare(photo, { format });
        expect([type, sides]).toEqual([`image/${format}`, quarterSides]);
        const found = (colors ?? []).flatMap((color) => color.slice(0, 3));
        const differences = quarterColors
          .flat()
          .map((value, at) => Math.abs(value - (found[at] ?? 0)));
        expect(Math.max(...differences)).toBeLessThan(16);
        const bytes = Buffer.from(content ?? []);
        for (const part of ["Exif", "EXIF", "GPS"]) expect(bytes.includes(part)).toBe(false);
        expect(bytes.includes(exif(1).subarray(76, 100))).toBe(false);
      }
    },
  );

  test("shrinks to the maximum side, and enlarges nothing", async () => {
    const photo = await flat({ width: 3_000, height: 1_500 }).jpeg().toBuffer();
    expect((await prepare(photo)).sides).toEqual({ width: 2_048, height: 1_024 });
    expect((await prepare(photo, { maxSide: 512 })).sides).toEqual({ width: 512, height: 256 });
    expect((await prepare(photo, { maxSide: 4_096 })).sides).toEqual({
      width: 3_000,
      height: 1_500,
    });
    const line = await flat({ width: 3_000, height: 1 }).png().toBuffer();
    expect((await prepare(line, { maxSide: 512 })).sides).toEqual({ width: 512, height: 1 });
  });

  test("replaces transparency with white in a JPEG, and keeps it in a WebP", async () => {
    const garment = await createPhoto().ensureAlpha(0).png().toBuffer();
    expect((await prepare(garment)).colors?.[0]).toEqual([255, 255, 255, 255]);
    expect((await prepare(garment, { format: "webp" })).colors?.[0]?.[3]).toBe(0);
  });

  test("decodes what the browser decodes: AVIF, and a PNG with metadata", async () => {
    expect((await prepare(await photos.AVIF())).type).toBe("image/jpeg");
    const png = withChunks(await photos.PNG(), { eXIf: exif(1).subarray(6) });
    expect((await prepare(png)).type).toBe("image/jpeg");
  });

  test("rejects what the browser cannot decode, and a truncated photo", async () => {
    const issue = { code: "invalid_input" };
    expect(await prepare(await photos.HEIC())).toMatchObject({
      error: {
        ...issue,
        message:
          "file is HEIC, and it could not be decoded. Send it as it is, or convert it to JPEG first.",
      },
    });
    const photo = await photos["baseline JPEG"]();
    expect(await prepare(photo.subarray(0, photo.length / 2))).toMatchObject({
      error: { ...issue, issues: [{ field: "file", code: "truncated" }] },
    });
  });

  test.each([
    ["a browser that writes no WebP", "format", "webp", "invalid_input"],
    ["a runtime without a canvas", "OffscreenCanvas", "jpeg", "invalid_config"],
  ] as const)("names the fix in %s", async (what, part, format, code) => {
    const { page } = await openPage(browser, bundle);
    const base64 = (await photos["baseline JPEG"]()).toString("base64");
    const error = await page.evaluate(
      async ({ photo, hasCanvas, given }) => {
        if (!hasCanvas) Reflect.deleteProperty(globalThis, "OffscreenCanvas");
        else
          OffscreenCanvas.prototype.convertToBlob = async () => new Blob([], { type: "image/png" });
        const bytes = Uint8Array.from(atob(photo), (unit) => unit.charCodeAt(0));
        const work = prepareImage(bytes, { format: given });
        const thrown: unknown = await work.catch((caught: unknown) => caught);
        return client.isTryOnError(thrown) ? thrown.toJSON() : String(thrown);
      },
      { photo: base64, hasCanvas: what.includes("browser"), given: format },
    );
    expect(error).toMatchObject({ code, message: expect.stringContaining(part) as unknown });
  });

  test("prepares a photo that a try-on accepts without a warning", async () => {
    const { page, access, mock } = await openPage(browser, bundle);
    const base64 = (await quarters(6)).toString("base64");
    const outcome = await page.evaluate(
      async ({ options, photo }) => {
        const bytes = Uint8Array.from(atob(photo), (unit) => unit.charCodeAt(0));
        const tryon = new client.TryOn(options);
        const garments = ["https://shop.example/shirt.png"] as const;
        const before = await tryon.validate({ person: bytes, garments });
        const person = await prepareImage(bytes);
        const after = await tryon.validate({ person, garments });
        const { receipt } = await tryon.run({ person, garments });
        return [before.map(({ code }) => code), after, receipt.credits];
      },
      { options: access, photo: base64 },
    );
    expect(outcome).toEqual([["rotated"], [], 8]);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });
});
