import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { isInstalled } from "@tryon/test-kit/installed-programs";
import type * as Client from "../index.ts";
import { bundleClient, openPage, startBrowser } from "../../test/browser.ts";
import { exif, photos, quarters, withChunks } from "../../test/photos.ts";
import { prepareSuite } from "../../test/prepare-suite.ts";
import type * as Images from "../session/index.ts";

/** In the page, where callbacks of `page.evaluate` run. */
declare const client: typeof Client;
declare const prepareImage: typeof Images.prepareImage;

const hasChromium = await isInstalled("chromium");

describe.runIf(hasChromium)("prepareImage in a browser", () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let bundle: Awaited<ReturnType<typeof bundleClient>>;
  beforeAll(async () => {
    [browser, bundle] = await Promise.all([startBrowser("chromium"), bundleClient()]);
  });
  afterAll(() => browser.close());

  /** Prepares a photo in a page. Returns the image with its type, or the error. */
  async function prepare(photo: Buffer, options: Images.PrepareImageOptions = {}) {
    const { page, problems } = await openPage(browser, bundle);
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
