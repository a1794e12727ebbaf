import { pathToFileURL } from "node:url";

import { assert, asyncProperty, string } from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startChromium, type Browser, type Page } from "@tryon/test-kit/chromium";
import { openTestPage } from "@tryon/test-kit/test-page";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { newFile } from "../../test/files.ts";
import { sampleReport } from "../../test/sample-report.ts";
import { formatReport } from "./index.ts";

const hasChromium = await isInstalled("chromium");

const shown = (page: Page): Promise<number> => page.locator("[data-status]:visible").count();

describe.runIf(hasChromium)("the page in Chromium", () => {
  const { href: url } = pathToFileURL(newFile(formatReport(sampleReport, "html"), "report.html"));
  let browser: Browser;

  beforeAll(async () => void (browser = await startChromium()));
  afterAll(() => browser.close());

  async function open(width: number, colorScheme: "light" | "dark") {
    const { page, problems: noted } = await openTestPage(browser, ({ href }) => href === url, {
      viewport: { width, height: 844 },
      colorScheme,
    });
    page.on("console", (message) => noted.push(message.text()));
    await page.goto(url);
    return { page, noted };
  }

  test.each([
    [1280, "light"],
    [1280, "dark"],
    [390, "light"],
    [390, "dark"],
    [320, "light"],
  ] as const)("fits %i px, %s, and loads nothing", async (width, scheme) => {
    const { page, noted } = await open(width, scheme);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(noted).toEqual([]);
  });

  test("has enough contrast in both schemes", async () => {
    for (const scheme of ["light", "dark"] as const) {
      const { page } = await open(1280, scheme);
      expect(await page.evaluate(lowContrastTexts)).toEqual([]);
    }
  });

  test("filters by status and by words", async () => {
    const { page } = await open(1280, "light");
    const all = await shown(page);
    const button = (name: string) => page.getByRole("button", { name, exact: false }).first();
    await button("failed").click();
    expect(await shown(page)).toBe(2);
    await button("failed").click();
    expect(await shown(page)).toBe(all);
    const search = page.getByRole("searchbox");
    await search.fill("charges-nothing");
    expect(await shown(page)).toBe(1);
    await search.fill("nothing like this");
    expect(await page.getByText("No result matches the filter.").isVisible()).toBe(true);
    expect(await page.locator("section:visible").count()).toBe(0);
  });

  test("opens a check from its row and from its URL, and copies its request", async () => {
    const { page } = await open(1280, "light");
    const row = page.locator('details[id="authentication.flagged-key"]');
    await row.locator("summary").click();
    expect(await row.getByText("(TRYON_FLAGGED_KEY)").isVisible()).toBe(true);
    await page.goto(`${page.url()}#webhooks.schedule`);
    expect(await page.locator('details[id="webhooks.schedule"]').getAttribute("open")).toBe("");
    const copy = page.locator(".failed .call button").first();
    await copy.click();
    await expect.poll(() => copy.textContent()).toMatch(/Copied|Selected/);
  });

  test("omits controls on paper", async () => {
    const { page } = await open(1280, "dark");
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("nav").isVisible()).toBe(false);
    expect(await page.locator(".call button:visible").count()).toBe(0);
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(paper).toBe("rgb(255, 255, 255)");
  });

  test("writes JUnit XML that a parser reads, whatever a deployment sends", async () => {
    const { page } = await open(1280, "light");
    await assert(
      asyncProperty(string({ unit: "binary", maxLength: 60 }), async (said) => {
        const checks = sampleReport.checks.map((check) => ({ ...check, message: said }));
        const xml = formatReport({ ...sampleReport, baseUrl: said, checks }, "junit");
        const [errors, cases] = await page.evaluate((text) => {
          const parsed = new DOMParser().parseFromString(text, "application/xml");
          const count = (name: string) => parsed.getElementsByTagName(name).length;
          return [count("parsererror"), count("testcase")];
        }, xml);
        expect([errors, cases]).toEqual([0, checks.length]);
      }),
      { numRuns: 30 },
    );
  });
});

// The page only gets this function, so it has its helpers inside.
/* oxlint-disable unicorn/consistent-function-scoping */

/** The texts of the page whose contrast is under 4.5 to 1 (WCAG 2.2, 1.4.3); it runs in the page. */
function lowContrastTexts(): string[] {
  const parts = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const over = (colour: number[], below: number[]): number[] => {
    const alpha = colour[3] ?? 1;
    return [0, 1, 2].map((at) => (colour[at] ?? 0) * alpha + (below[at] ?? 0) * (1 - alpha));
  };
  const behind = (element: Element | null): number[] => {
    if (element === null) return [255, 255, 255];
    const own = parts(getComputedStyle(element).backgroundColor);
    return (own[3] ?? 1) === 1 ? own : over(own, behind(element.parentElement));
  };
  const light = (colour: number[]): number => {
    const [red = 0, green = 0, blue = 0] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const found: string[] = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== "",
    );
    if (!own || element instanceof HTMLScriptElement || !element.checkVisibility()) continue;
    const back = behind(element);
    const ink = over(parts(getComputedStyle(element).color), back);
    const [low = 0, high = 0] = [light(ink), light(back)].toSorted((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) found.push(`${contrast.toFixed(2)} ${element.textContent?.slice(0, 40)}`);
  }
  return found;
}
