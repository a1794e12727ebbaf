import { readFile } from "node:fs/promises";

import { TryOn } from "@tryon/client";
import { saveScreenshot } from "@tryon/test-kit/test-page";
import sharp from "sharp";
import { describe, expect, test } from "vitest";

import {
  button,
  choose,
  createFile,
  hasChromium,
  hat,
  jacket,
  openPage,
  person,
  shirt,
  shopKey,
  startTryOn,
  submit,
  waitForText,
  widths,
} from "./open-page.ts";

const pixels = (image: Uint8Array) => sharp(image).flatten({ background: "#fff" }).raw().toBuffer();

/** Returns the mean difference of the colors of two images of the same size, from 0 to 255. */
async function difference(one: Uint8Array, other: Uint8Array): Promise<number> {
  const [left, right] = await Promise.all([pixels(one), pixels(other)]);
  expect(left.length).toBe(right.length);
  return left.reduce((sum, value, at) => sum + Math.abs(value - (right[at] ?? 0)), 0) / left.length;
}

describe.runIf(hasChromium)("the page", () => {
  test("shows the photo, the garments, the cost and the image beside each other", async () => {
    const opened = await submit({ context: { viewport: { width: 1_000, height: 760 } } });
    const { page, problems } = opened;
    await waitForText(opened, "Download");
    await expect.poll(() => widths(page, ".compare img")).toEqual([768, 900]);
    await page.getByRole("slider").fill("50");
    await page.evaluate("scrollTo(0, 0)");
    await saveScreenshot(page, "browser-example");
    expect(problems).toEqual([]);
  });

  test("turns files into an image to compare and download, and never receives the key", async () => {
    const opened = await openPage();
    const { page, mock, rendered, charges, problems } = opened;
    await choose(page, person, shirt, jacket, hat);
    await expect.poll(() => widths(page, ".images img")).toEqual([900, 800, 800, 800]);
    await page.getByRole("radio", { name: "Medium" }).check();
    await page.getByLabel("Instructions").fill("evening light");
    await button(page, "Try it on").click();
    await waitForText(opened, "Download");

    const files = await Promise.all([person, shirt, jacket, hat].map((path) => readFile(path)));
    const [prepared = []] = rendered;
    expect([rendered.length, prepared.length]).toEqual([1, files.length]);
    for (const [index, file] of files.entries()) {
      const image = prepared[index] ?? Buffer.of();
      // Prepared by the page: without metadata, and otherwise the same image.
      const { format, exif } = await sharp(image).metadata();
      expect([format, exif]).toEqual(["webp", undefined]);
      expect(await difference(image, file)).toBeLessThan(3);
    }
    expect(await charges()).toEqual([-12]);

    const compare = page.locator(".compare");
    await expect.poll(() => widths(page, ".compare img")).toEqual([1_536, 900]);
    const slider = page.getByRole("slider");
    const shareBefore = () => compare.evaluate((root) => root.style.getPropertyValue("--before"));
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    expect(await shareBefore()).toBe("23%");
    expect(await slider.getAttribute("aria-valuetext")).toBe("23% before");
    const box = await compare.boundingBox();
    if (box === null) throw new Error("The comparison is not visible.");
    await page.mouse.click(box.x + box.width * 0.2, box.y + box.height / 2);
    expect(await shareBefore()).toBe("20%");

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("try-on.png");
    const saved = await readFile(await download.path());
    expect(saved.subarray(1, 4).toString()).toBe("PNG");
    expect([saved.readUInt32BE(16), saved.readUInt32BE(20)]).toEqual([1_536, 2_048]);
    const tryon = new TryOn({ apiKey: shopKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
    const [job] = await tryon.jobs.list().toArray();
    const result = await job?.result();
    expect(saved.equals((await result?.image.bytes()) ?? Buffer.of())).toBe(true);

    const received = (await opened.received()).join("\n");
    // The check covers the page, its code, the job and the image.
    for (const part of ["<title>Virtual try-on", "Creating your image", '"succeeded"', "PNG"]) {
      expect(received.includes(part)).toBe(true);
    }
    expect(received.includes(shopKey)).toBe(false);
    expect(received.match(/svc_(live|test)_\w+/g)).toBeNull();
    expect(problems).toEqual([]);
  });

  test("works with a service that has every option at its other value", async () => {
    const opened = await submit({ mock: { profile: "alternate" } });
    await waitForText(opened, "Download");
    await expect.poll(() => widths(opened.page, ".compare img")).toEqual([768, 900]);
    expect(await opened.charges()).toEqual([-8]);
    // Chromium reports polls before the new job is visible, which this service answers with 404.
    const isEarlyPoll = /\b404\b.*\/api\/tryon\/api\/v1\/tryon\/job_\w+$/;
    expect(opened.problems.filter((problem) => !isEarlyPoll.test(problem))).toEqual([]);
  });

  test("shows the elapsed time, and a message if it is long", async () => {
    const { page, problems } = await startTryOn();
    await page.getByText("Usually 10–30 seconds.").waitFor();
    await page.clock.runFor(45_000);
    await page.getByText("This takes a little longer than usual.").waitFor();
    await page.locator(".elapsed", { hasText: /^0:4\d$/ }).waitFor();
    expect(problems).toEqual([]);
  });

  test.each([
    ["light", "rgb(247, 243, 236)"],
    ["dark", "rgb(23, 20, 18)"],
  ] as const)("fits a small phone in a %s color scheme", async (colorScheme, background) => {
    const viewport = { width: 360, height: 740 };
    const context = { colorScheme, viewport, isMobile: true, hasTouch: true };
    const opened = await openPage({ context });
    const { page, problems } = opened;
    const expectNoOverflow = async () =>
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await expectNoOverflow();
    const longName = await createFile(`${"x".repeat(120)}.png`, "");
    await page.locator("[data-field=garments] input").setInputFiles(longName);
    await page.getByRole("alert").getByText("is empty").waitFor();
    await expectNoOverflow();
    await choose(page, person, shirt, jacket, hat);
    await expectNoOverflow();
    await button(page, "Try it on").click();
    await expect.poll(() => button(page, "Stop waiting").evaluate(isInViewport)).toBe(true);
    await expectNoOverflow();
    await waitForText(opened, "Download");
    await expectNoOverflow();
    expect(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor")).toBe(
      background,
    );
    expect(problems).toEqual([]);
  });

  test("works with the keyboard alone", async () => {
    const opened = await openPage();
    const { page, problems } = opened;
    await button(page, "Use the sample: a person").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("img", { name: "a person" }).waitFor();
    await button(page, "Use the sample: a shirt").focus();
    await page.keyboard.press("Space");
    await page.getByRole("img", { name: "a shirt" }).waitFor();
    await page.getByLabel("Instructions").focus();
    await page.keyboard.press("Enter");
    await button(page, "Stop waiting").waitFor();
    expect(await page.evaluate("document.activeElement.className")).toBe("result");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Stop waiting");
    await waitForText(opened, "Download");
    expect(await page.locator(".announcement").textContent()).toBe("Your image is ready.");
    expect(problems).toEqual([]);
  });
});

/** Runs in the page. */
function isInViewport(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}
