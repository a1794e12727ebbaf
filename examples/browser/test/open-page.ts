import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { compositeEngine } from "@tryon/mock/node";
import { startChromium, type Browser, type Page } from "@tryon/test-kit/chromium";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { assetPath } from "@tryon/test-kit/repository";
import { chargesOf, serveMock } from "@tryon/test-kit/serve-mock";
import { openTestPage } from "@tryon/test-kit/test-page";
import type { BrowserContextOptions, Request } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";

import { startShop } from "../src/server/create-shop.ts";

export const person = assetPath("person.jpg");

const shopKey = "svc_live_onlyTheServerOfTheShopKnowsThis";

export const hasChromium = await isInstalled("chromium");
let browser: Browser;
let pages: string;
if (hasChromium) {
  beforeAll(async () => {
    pages = await mkdtemp(join(tmpdir(), "tryon-pages-"));
    const options = { outDir: pages, emptyOutDir: true };
    const configFile = join(import.meta.dirname, "../vite.config.ts");
    [browser] = await Promise.all([
      startChromium(),
      build({ configFile, logLevel: "error", build: options }),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await rm(pages, { recursive: true });
  });
}

export type OpenedPage = Awaited<ReturnType<typeof openPage>>;

/** Starts the shop with the built page. Its service is a mock with a manual clock. */
export async function openShop() {
  const options = { clock: "manual", seed: "page", engine: await compositeEngine() } as const;
  const { mock, url: baseUrl } = await serveMock(options);
  await mock.createKey({ token: shopKey, credits: 100 });
  const shop = await startShop({
    apiKey: shopKey,
    baseUrl,
    secret: "secret of the shop, 32 characters",
    pages,
    onError: () => undefined,
  });
  onTestFinished(() => shop.close());
  const allowed = new Set([shop.url, baseUrl]);
  return {
    url: shop.url,
    mock,
    isAllowed: ({ origin, protocol }: URL) => allowed.has(origin) || protocol === "blob:",
    charges: () => chargesOf(mock, shopKey),
  };
}

/** Opens the page of a shop in Chromium, with a clock that the test moves. */
export async function openPage(context: BrowserContextOptions = {}) {
  const shop = await openShop();
  const { page, problems } = await openTestPage(browser, shop.isAllowed, context);
  await page.clock.install();
  const pending = new Set<Request>();
  page.on("request", (request) => pending.add(request));
  page.on("requestfinished", (request) => pending.delete(request));
  page.on("requestfailed", (request) => pending.delete(request));
  await page.goto(shop.url);
  await button(page, "Try it on").and(page.locator(":enabled")).waitFor();
  return {
    ...shop,
    page,
    /** Errors in the console, and requests to other servers. */
    problems,
    isIdle: () => pending.size === 0,
  };
}

/**
 * Advances the clocks of the page and the service until the page shows a text. The page's clock stops during requests, or
 * they would time out on a slow machine.
 */
export async function waitForText(opened: OpenedPage, text: string): Promise<void> {
  const { page, mock, isIdle } = opened;
  const element = page.getByText(text).first();
  await expect
    .poll(async () => {
      await mock.clock.advance("1s");
      if (isIdle()) await page.clock.runFor(1_000);
      return element.isVisible();
    })
    .toBe(true);
}

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

export async function choosePhoto(page: Page, photo: string): Promise<void> {
  await page.getByLabel("Choose a photo").setInputFiles(photo);
  await page.getByRole("img", { name: "Your photo" }).waitFor();
}

/** Opens the page and starts a try-on. */
export async function startTryOn(context: BrowserContextOptions = {}): Promise<OpenedPage> {
  const opened = await openPage(context);
  await choosePhoto(opened.page, person);
  await opened.page.getByLabel("Striped shirt").check();
  await button(opened.page, "Try it on").click();
  return opened;
}

/** Widths of the images of the result, before and after. 0 while one loads. */
export const widths = (page: Page) =>
  page
    .locator(".stage img")
    .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
