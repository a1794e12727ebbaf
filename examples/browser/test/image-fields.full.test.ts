import { readFile } from "node:fs/promises";

import sharp from "sharp";
import { describe, expect, test } from "vitest";

import {
  button,
  choose,
  createFile,
  hasChromium,
  openPage,
  person,
  shirt,
  waitForText,
} from "./open-page.ts";

describe.runIf(hasChromium)("the image fields", () => {
  test("reject other files with a message before anything is sent", async () => {
    const { page, submissions, problems } = await openPage();
    const field = page.locator("[data-field=person]");
    const message = field.getByRole("alert");
    const png = Buffer.concat([Uint8Array.of(0x89), Buffer.from("PNG"), Buffer.alloc(10_600_000)]);
    for (const [name, content, text] of [
      ["me.jpg", "<!doctype html>", "“me.jpg” is not an image. Choose a JPEG,"],
      ["empty.png", "", "“empty.png” is empty. Choose another file."],
      [
        "zip.png",
        Uint8Array.of(0x50, 0x4b, 3, 4, 200, 201, 202),
        "“zip.png” has an unknown format.",
      ],
      ["huge.png", png, "“huge.png” is larger than 10 MB. Choose a smaller file."],
    ] as const) {
      await field.locator(".drop input").setInputFiles(await createFile(name, content));
      await message.getByText(text).waitFor();
    }
    expect(await page.locator(".images li").count()).toBe(0);
    expect(await button(page, "Try it on").isDisabled()).toBe(true);
    // A valid file removes the message.
    await field.locator(".drop input").setInputFiles(person);
    await expect.poll(() => message.isHidden()).toBe(true);
    await page.getByText("Still missing: a garment.").waitFor();
    expect(submissions()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("accept dropped files and samples, at most three garments, and release memory", async () => {
    const { page, problems } = await openPage();
    await page.evaluate(() => {
      const urls = new Set<string>();
      const [create, revoke] = [URL.createObjectURL.bind(URL), URL.revokeObjectURL.bind(URL)];
      URL.createObjectURL = (blob) => {
        const url = create(blob);
        urls.add(url);
        return url;
      };
      URL.revokeObjectURL = (url) => {
        urls.delete(url);
        revoke(url);
      };
      Object.assign(globalThis, { urls });
    });
    const blobUrls = () => page.evaluate("urls.size");
    const dataTransfer = await page.evaluateHandle(
      (bytes) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(bytes)], "mine.png", { type: "image/png" }));
        return transfer;
      },
      [...(await readFile(shirt))],
    );
    const field = page.locator("[data-field=garments]");
    await field.dispatchEvent("drop", { dataTransfer });
    await field.getByRole("img", { name: "mine.png" }).waitFor();
    await button(page, "Use the sample: a jacket").click();
    await button(page, "Use the sample: a hat").click();
    await expect.poll(() => field.locator("li").count()).toBe(3);
    await button(page, "Use the sample: a shirt").click();
    await field.getByText("“a shirt” was not added. Remove an image first.").waitFor();
    expect(await blobUrls()).toBe(3);
    await button(page, "Remove a jacket").click();
    await expect.poll(() => field.locator("li").count()).toBe(2);
    expect(await blobUrls()).toBe(2);
    // A new photo replaces the old one.
    await button(page, "Use the sample: a person").click();
    await page.locator("[data-field=person]").getByRole("img", { name: "a person" }).waitFor();
    await button(page, "Use the sample: a person").click();
    await expect.poll(blobUrls).toBe(3);
    expect(problems).toEqual([]);
  });

  test("keep files that were chosen before the page was ready", async () => {
    const { page, problems } = await openPage();
    const ready = Promise.withResolvers<void>();
    await page.route("**/api/visitor", async (route) => {
      await ready.promise;
      await route.continue();
    });
    await page.reload();
    await page.locator("[data-field=person] .drop input").setInputFiles(person);
    ready.resolve();
    await page.getByRole("img", { name: "person.jpg" }).waitFor();
    await page.getByText("Still missing: a garment.").waitFor();
    expect(problems).toEqual([]);
  });

  test("take a photo with the camera of a phone", async () => {
    const { page } = await openPage({ context: { isMobile: true, hasTouch: true } });
    const camera = page.getByLabel("Take a photo");
    expect(await camera.getAttribute("capture")).toBe("user");
    await camera.setInputFiles(person);
    await page.getByText("Still missing: a garment.").waitFor();
    const desktop = await openPage();
    expect(await desktop.page.locator(".camera").isVisible()).toBe(false);
  });

  test("have the garment of a product's page, and leave out an unknown one", async () => {
    const { page, problems } = await openPage({ query: "?garment=shirt" });
    await page.locator("[data-field=garments]").getByRole("img", { name: "a shirt" }).waitFor();
    await page.getByText("Still missing: a photo of you.").waitFor();
    const other = await openPage({ query: "?garment=constructor" });
    expect(await other.page.locator(".images li").count()).toBe(0);
    expect([...problems, ...other.problems]).toEqual([]);
  });

  test("shrink a large photo before it is sent", async () => {
    const opened = await openPage();
    const photo = await createNoise();
    expect(photo.length).toBeGreaterThan(3_000_000);
    await choose(opened.page, await createFile("large.png", photo), shirt);
    await button(opened.page, "Try it on").click();
    await waitForText(opened, "Download");
    const [sent = new Uint8Array()] = opened.rendered[0] ?? [];
    expect(sent.length).toBeLessThan(photo.length);
    expect(Buffer.from(sent.subarray(8, 12)).toString()).toBe("WEBP");
    expect(opened.problems).toEqual([]);
  });
});

/** Returns a PNG of random pixels, which cannot be compressed. */
function createNoise(): Promise<Buffer> {
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  return sharp({ create: { width: 1_200, height: 1_600, channels: 3, background: "black", noise } })
    .png()
    .toBuffer();
}
