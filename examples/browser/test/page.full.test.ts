import { readFile } from "node:fs/promises";

import { saveScreenshot } from "@tryon/test-kit/test-page";
import axe, { type AxeResults } from "axe-core";
import { describe, expect, test } from "vitest";

import {
  button,
  choosePhoto,
  hasChromium,
  openPage,
  person,
  startTryOn,
  waitForText,
  widths,
} from "./open-page.ts";

describe.runIf(hasChromium)("the page", () => {
  test("shows the image to compare and to download", async () => {
    const opened = await startTryOn({ viewport: { width: 1_000, height: 800 } });
    const { page, problems, charges } = opened;
    await waitForText(opened, "Download");
    await expect.poll(() => widths(page)).toEqual([768, 900]);
    await saveScreenshot(page, "browser-example");
    const slider = page.getByRole("slider");
    await slider.press("ArrowRight");
    expect(await slider.getAttribute("aria-valuetext")).toBe("51% before");

    const waiting = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    const saved = await readFile(await (await waiting).path());
    expect([saved.readUInt32BE(16), saved.readUInt32BE(20)]).toEqual([768, 1_024]);
    expect(await charges()).toEqual([-8]);
    expect(problems).toEqual([]);
  });

  test("says what is missing, and which file it cannot use, before anything is sent", async () => {
    const { page, charges, problems } = await openPage();
    const alert = page.getByRole("alert");
    await button(page, "Try it on").click();
    await alert.getByText("Choose a photo of you and 1 to 3 garments.").waitFor();
    const file = { name: `${"x".repeat(90)}.jpg`, mimeType: "image/jpeg", buffer: Buffer.of(1) };
    await page.getByLabel("Choose a photo").setInputFiles(file);
    await alert.getByText("x.jpg: Your photo is not a JPEG or PNG.").waitFor();
    await choosePhoto(page, person);
    expect(await alert.textContent()).toBe("");
    expect([await charges(), problems]).toEqual([[], []]);
  });

  test("continues after a stop and a reload, charged once, until the photo is deleted", async () => {
    const opened = await startTryOn();
    const { page, charges, problems } = opened;
    await waitForText(opened, "Creating your image.");
    await button(page, "Stop waiting").click();
    await page.getByText("You stopped waiting.").waitFor();
    await page.reload();
    await page.getByText("You stopped waiting.").waitFor();
    await button(page, "Continue").click();
    await waitForText(opened, "Download");
    await page.reload();
    await waitForText(opened, "Download");
    await button(page, "Delete my photo").click();
    await page.getByText("Your image appears here.").waitFor();
    await page.reload();
    await page.getByText("Your image appears here.").waitFor();
    expect(await charges()).toEqual([-8]);
    expect(problems).toEqual([]);
  });

  test("continues after an expired session", async () => {
    const opened = await openPage();
    const { page } = opened;
    await choosePhoto(page, person);
    await page.getByLabel("Hat").check();
    await page.context().clearCookies();
    await button(page, "Try it on").click();
    await waitForText(opened, "Your session has expired.");
    await button(page, "Reload").click();
    await waitForText(opened, "Download");
    expect(await opened.charges()).toEqual([-8]);
  });

  test.each([
    [390, "light"],
    [390, "dark"],
    [1_440, "light"],
  ] as const)("is accessible in every state, %d px wide and %s", async (width, colorScheme) => {
    const isMobile = width < 400;
    const context = { colorScheme, isMobile, hasTouch: isMobile, viewport: { width, height: 844 } };
    const opened = await startTryOn(context);
    const { page, mock, problems } = opened;
    const check = async (text: string) => {
      await waitForText(opened, text);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<AxeResults>("axe.run()");
      expect(
        violations.map(({ id }) => id),
        text,
      ).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(await page.getByText("Take a photo").isVisible()).toBe(isMobile);
    };
    await check("Creating your image.");
    await button(page, "Stop waiting").click();
    await check("You stopped waiting.");
    await button(page, "Continue").click();
    await check("Download");
    await button(page, "Start again").click();
    await check("Your image appears here.");
    mock.nextJob({ outcome: "content_blocked" });
    await button(page, "Try it on").click();
    await check("This photo or text is not allowed.");
    expect(problems).toEqual([]);
  });

  test("works with the keyboard alone", async () => {
    const opened = await openPage();
    const { page } = opened;
    await choosePhoto(page, person);
    await page.getByLabel("Striped shirt").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await button(page, "Stop waiting").waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Stop waiting");
    await waitForText(opened, "Download");
    expect(await page.getByRole("status").textContent()).toBe("Your image is ready.");
    expect(await page.evaluate("document.activeElement.className")).toBe("result");
  });
});
