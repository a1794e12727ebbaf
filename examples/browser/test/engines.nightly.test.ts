import { writeFile } from "node:fs/promises";

import { installedEngines, startEngine } from "@tryon/test-kit/browsers";
import { openTestPage } from "@tryon/test-kit/test-page";
import { expect, onTestFinished, test } from "vitest";

import { openShop, person } from "./open-page.ts";

/** Folder for a screenshot of each engine. */
const screenshots = process.env["TRYON_ENGINE_SCREENSHOTS"];

/** WebKit takes more than the usual 20 s on a machine with other work. */
const slow = { timeout: 60_000 };

test.each(await installedEngines())("the page makes a try-on in %s at 390 px", async (engine) => {
  const browser = await startEngine(engine);
  onTestFinished(() => browser.close());
  const { url, isAllowed, mock, charges } = await openShop();
  const viewport = { width: 390, height: 844 };
  const { page, problems } = await openTestPage(browser, isAllowed, { viewport });
  await page.goto(url);
  await page.locator("input[type=file]:not([capture])").setInputFiles(person);
  // It moves the form down when it has been read.
  await page.waitForFunction(() => document.querySelector("img")?.naturalWidth);
  await page.locator("[name=garment][value=shirt]").click();
  const expectFit = async () => {
    const { width, content } = await page.evaluate(() => ({
      width: innerWidth,
      content: document.documentElement.scrollWidth,
    }));
    expect(width).toBe(390);
    // A scroll bar can take a part of the width.
    expect(content).toBeLessThanOrEqual(390);
  };
  await expectFit();
  await page.locator("form .primary").click();
  const untilImage = () =>
    expect
      .poll(async () => {
        await mock.clock.advance("5s");
        return page.evaluate(() =>
          [...document.querySelectorAll<HTMLImageElement>(".stage img")].map(
            ({ naturalWidth }) => naturalWidth,
          ),
        );
      }, slow)
      .toEqual([768, 900]);
  await untilImage();
  await expectFit();
  await page.evaluate(async () => {
    for (const image of document.querySelectorAll<HTMLImageElement>(".stage img")) {
      await image.decode();
    }
  });
  await page.reload();
  await expect
    .poll(
      () =>
        page.evaluate(() => document.querySelector<HTMLImageElement>(".stage img")?.naturalWidth),
      slow,
    )
    .toBe(768);
  expect(await charges()).toEqual([-8]);
  expect(problems).toEqual([]);
  // In Firefox, Playwright adds a style for it, which the page refuses.
  if (screenshots) await writeFile(`${screenshots}/${engine}.png`, await page.screenshot());
});
