import { writeFile } from "node:fs/promises";

import { installedEngines, startEngine } from "@tryon/test-kit/browsers";
import { openTestPage } from "@tryon/test-kit/test-page";
import { expect, onTestFinished, test } from "vitest";

import { openShop, person, shirt } from "./open-page.ts";

/** Folder for a screenshot of each engine. */
const screenshots = process.env["TRYON_ENGINE_SCREENSHOTS"];

test.each(await installedEngines())("the page makes a try-on in %s at 390 px", async (engine) => {
  const browser = await startEngine(engine);
  onTestFinished(() => browser.close());
  const { url, isAllowed, mock, charges, rendered } = await openShop();
  const viewport = { width: 390, height: 844 };
  const { page, problems } = await openTestPage(browser, isAllowed, { viewport });
  await page.goto(url);
  await page.locator("[data-field=person] .drop input").setInputFiles(person);
  await page.locator("[data-field=garments] .drop input").setInputFiles(shirt);
  // The policy of the page keeps Playwright from waiting for a function in Firefox.
  await expect
    .poll(() => page.evaluate(() => document.querySelectorAll(".images li").length))
    .toBe(2);
  const expectFit = async () =>
    expect(await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth])).toEqual([
      390, 390,
    ]);
  await expectFit();
  await page.locator("form [type=submit]").click();
  const untilImage = () =>
    expect
      .poll(async () => {
        await mock.clock.advance("5s");
        return page.evaluate(() =>
          [...document.querySelectorAll<HTMLImageElement>(".compare img")].map(
            ({ naturalWidth }) => naturalWidth,
          ),
        );
      })
      .toEqual([768, 900]);
  await untilImage();
  await expectFit();
  await page.evaluate(async () => {
    for (const image of document.querySelectorAll<HTMLImageElement>(".compare img")) {
      await image.decode();
    }
  });
  if (screenshots) await writeFile(`${screenshots}/${engine}.png`, await page.screenshot());
  await page.reload();
  await expect
    .poll(() =>
      page.evaluate(() => document.querySelector<HTMLImageElement>(".compare img")?.naturalWidth),
    )
    .toBe(768);
  expect(rendered[0]?.length).toBe(2);
  expect(await charges()).toEqual([-8]);
  expect(problems).toEqual([]);
});
