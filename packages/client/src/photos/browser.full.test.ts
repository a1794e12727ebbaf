import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { installedEngines } from "@tryon/test-kit/browsers";
import type * as Client from "../index.ts";
import { bundleClient, openPage, startBrowser } from "../../test/browser.ts";
import { privateFields } from "../../test/encoders.ts";
import {
  cellOf,
  createImages,
  prepareInPage,
  readEngineTable,
  type Title,
} from "../../test/engine-images.ts";
import { exif, photos, quarters, withChunks } from "../../test/photos.ts";
import { differenceOf, prepareSuite } from "../../test/prepare-suite.ts";
import type * as Images from "../session/index.ts";

/** In the page, where callbacks of `page.evaluate` run. */
declare const client: typeof Client;
declare const prepareImage: typeof Images.prepareImage;

const engines = await installedEngines();

describe.runIf(engines.includes("chromium"))("prepareImage in a browser", () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let bundle: Awaited<ReturnType<typeof bundleClient>>;
  beforeAll(async () => {
    [browser, bundle] = await Promise.all([startBrowser("chromium"), bundleClient()]);
  });
  afterAll(() => browser.close());

  // One page per test.
  let opened: ReturnType<typeof openPage> | undefined;
  beforeEach(() => {
    opened = undefined;
  });

  /** Prepares a photo in a page. Returns the image with its type, or the error. */
  async function prepare(photo: Buffer, options: Images.PrepareImageOptions = {}) {
    const { page, problems } = await (opened ??= openPage(browser, bundle));
    const prepared = await page.evaluate(
      async ({ base64, given }) => {
        const bytes = Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
        try {
          const image = await prepareImage(new File([bytes], "me.jpg"), given);
          const content = [...new Uint8Array(await image.arrayBuffer())];
          return { type: image.type, content };
        } catch (error) {
          return { error: client.isTryOnError(error) ? error.toJSON() : String(error) };
        }
      },
      { base64: photo.toString("base64"), given: options },
    );
    expect(problems).toEqual([]);
    return prepared;
  }

  prepareSuite(async (photo, options) => {
    const { type = "", content = [] } = await prepare(photo, options);
    return new Blob([Uint8Array.from(content)], { type });
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
        else {
          // Without arguments, it returns a PNG.
          const encode: (this: OffscreenCanvas) => Promise<Blob> = Reflect.get(
            OffscreenCanvas.prototype,
            "convertToBlob",
          );
          OffscreenCanvas.prototype.convertToBlob = function toPng() {
            return encode.call(this);
          };
        }
        const bytes = Uint8Array.from(atob(photo), (unit) => unit.charCodeAt(0));
        const work = prepareImage(bytes, { format: given });
        const thrown: unknown = await work.catch((caught: unknown) => caught);
        return client.isTryOnError(thrown) ? thrown.toJSON() : String(thrown);
      },
      { photo: base64, hasCanvas: what.includes("browser"), given: format },
    );
    expect(error).toMatchObject({ code, message: expect.stringContaining(part) as unknown });
  });

  test("accepts a canvas in which the browser disturbs single values", async () => {
    const { page } = await openPage(browser, bundle);
    await page.evaluate(() => {
      const { prototype } = OffscreenCanvasRenderingContext2D;
      const read = Reflect.get(prototype, "getImageData") as (...given: unknown[]) => ImageData;
      prototype.getImageData = function disturbed(...given) {
        const image = read.apply(this, given);
        for (let at = 0; at < image.data.length; at += 7)
          image.data[at] = (image.data[at] ?? 0) ^ 1;
        return image;
      };
    });
    const [prepared] = await prepareInPage(page, [["PNG", await photos.PNG()]]);
    expect(prepared).toMatchObject({ type: "image/jpeg", text: "" });
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

/** Images whose cells the engines differ in, or that other tests do not have. */
const titles = [
  "WebP with EXIF orientation",
  "PNG with EXIF orientation",
  "AVIF with a rotation (`irot`)",
  "JPEG larger than the result, rotated",
  "WebP, Display P3 by profile",
  "PNG, HDR (PQ)",
  "JPEG, CMYK with a profile",
  "BMP",
  "AVIF with a crop (`clap`), shown without it",
] as const satisfies readonly Title[];

describe("prepareImage in a private window", () => {
  let images: Awaited<ReturnType<typeof createImages>>;
  let bundle: Awaited<ReturnType<typeof bundleClient>>;
  beforeAll(async () => {
    [images, bundle] = await Promise.all([createImages(titles), bundleClient()]);
  });

  test.each(engines)(
    "of %s does what the guide says, and leaves no private field",
    async (engine) => {
      const preferences = { "browser.privatebrowsing.autostart": true };
      const browser = await startBrowser(engine, { preferences });
      onTestFinished(() => browser.close());
      const { page, problems } = await openPage(browser, bundle);
      const prepared = await prepareInPage(page, images);
      const cells = prepared.map(async (image) => [image.name, await cellOf(image)] as const);
      const table = await readEngineTable();
      expect(await Promise.all(cells)).toEqual(
        titles.map((title) => [title, table.get(title)?.[engine]]),
      );
      const [before = [], ...after] = await privateFields(
        images.get(titles[0]) ?? Buffer.alloc(0),
        ...prepared.flatMap(({ bytes }) => bytes ?? []),
      );
      expect(before).toEqual(expect.arrayContaining(["EXIF:GPSLatitude", "EXIF:Artist"]));
      expect(after.flat()).toEqual([]);
      const hint =
        "AVIF with a crop (clap), and it could not be decoded. Send it as it is, or convert";
      expect(prepared.at(-1)?.text.includes(hint)).toBe(engine === "firefox");
      expect(problems).toEqual([]);
    },
  );

  test.runIf(engines.includes("firefox"))(
    "of Firefox that resists fingerprinting returns no noise",
    async () => {
      const names = ["privacy.resistFingerprinting", "browser.privatebrowsing.autostart"];
      const preferences = Object.fromEntries(names.map((name) => [name, true]));
      const browser = await startBrowser("firefox", { preferences });
      onTestFinished(() => browser.close());
      const { page } = await openPage(browser, bundle);
      const jpeg = await quarters(1);
      const [same, ...refused] = await prepareInPage(page, [
        ["upright", jpeg],
        ["turned", await quarters(6)],
        ["PNG", await photos.PNG()],
        ["small", jpeg, { maxSide: 512, format: "webp" }],
      ]);
      const bytes = same?.bytes ?? Buffer.alloc(0);
      expect(same).toMatchObject({ type: "image/jpeg", text: "" });
      expect(await differenceOf(new Blob([new Uint8Array(bytes)]))).toBeLessThan(16);
      expect(await privateFields(jpeg, bytes)).toEqual([
        expect.arrayContaining(["EXIF:GPSLatitude"]),
        [],
      ]);
      const reason =
        ", and this browser returns noise for images that a page draws. Allow the page to read its canvas, or use an upright JPEG of at most 2048 pixels.";
      expect(refused.map(({ text }) => text)).toEqual([
        `file must be turned upright${reason}`,
        `file must be converted to JPEG${reason}`,
        `file must be converted to WebP and shrunk to 512 pixels${reason.replace("JPEG", "WebP").replace("2048", "512")}`,
      ]);
    },
  );
});
