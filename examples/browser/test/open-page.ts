import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createMock, type Engine, type MockOptions } from "@tryon/mock";
import { compositeEngine, serve } from "@tryon/mock/node";
import { startChromium, type Browser, type Page } from "@tryon/test-kit/chromium";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { assetPath } from "@tryon/test-kit/repository";
import { openTestPage } from "@tryon/test-kit/test-page";
import type { BrowserContextOptions, Request, Response } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";

import { startShop } from "../src/server/start-shop.ts";

export const [person, shirt, jacket, hat] = [
  "person.jpg",
  "shirt.png",
  "jacket.webp",
  "hat.png",
].map(assetPath) as [string, string, string, string];

/** API key of the shop. The page must never receive it. */
export const shopKey = "svc_live_onlyTheServerOfTheShopKnowsThis";

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

export interface PageOptions {
  readonly context?: BrowserContextOptions;
  readonly credits?: number;
  readonly mock?: MockOptions;
  readonly query?: string;
}

export type OpenedPage = Awaited<ReturnType<typeof openPage>>;

/** Starts the shop with the built page. Its service is a mock with a manual clock. */
export async function openShop(options: Pick<PageOptions, "credits" | "mock"> = {}) {
  const rendered: Uint8Array[][] = [];
  const engine = recordImages(await compositeEngine(), rendered);
  const mock = createMock({ clock: "manual", seed: "page", engine, ...options.mock });
  await mock.createKey({ token: shopKey, credits: options.credits ?? 100 });
  const service = await serve(mock);
  const otherOrigin = service.url.replace("127.0.0.1", "localhost");
  const shop = await startShop({
    apiKey: shopKey,
    baseUrl: service.url,
    imagesUrl: mock.options.resultsOrigin === "other" ? otherOrigin : service.url,
    secret: "secret of the shop, 32 characters",
    pages,
    onError: () => undefined,
  });
  onTestFinished(async () => {
    shop.close();
    await service.close();
    mock.close();
  });
  const allowed = new Set([shop.url, service.url, otherOrigin]);
  return {
    url: shop.url,
    mock,
    /** Images of each job, the person first. */
    rendered,
    isAllowed: ({ origin, protocol }: URL) => allowed.has(origin) || protocol === "blob:",
    charges: async () => {
      const entries = (await mock.ledger(shopKey))?.entries ?? [];
      return entries.flatMap(({ jobId, credits }) => (jobId === undefined ? [] : [credits]));
    },
    submissions: () => mock.journal.entries({ method: "POST", path: "/api/v1/tryon" }).length,
  };
}

/** Opens the page of a shop in Chromium, with a clock that the test moves. */
export async function openPage(options: PageOptions = {}) {
  const shop = await openShop(options);
  const { page, problems } = await openTestPage(browser, shop.isAllowed, options.context);
  await page.clock.install();
  const responses: Response[] = [];
  const pending = new Set<Request>();
  page.on("request", (request) => {
    pending.add(request);
    // The key of the mock in the page is valid for this mock only.
    const isInPage = request.url().includes("/tryon-service/");
    if (request.headers()["authorization"] && !isInPage) problems.push(`key in ${request.url()}`);
  });
  page.on("requestfinished", (request) => pending.delete(request));
  page.on("requestfailed", (request) => pending.delete(request));
  page.on("response", (response) => responses.push(response));
  await page.goto(`${shop.url}/${options.query ?? ""}`);
  await page.getByText("Still missing").waitFor();
  return {
    ...shop,
    page,
    /** Errors in the console, and requests to other servers or with an API key. */
    problems,
    isIdle: () => pending.size === 0,
    /** URL, headers and body of each response. */
    received: () => Promise.all(responses.map(textOf)),
  };
}

/**
 * Advances the clocks of the page and the service until the panel shows a text. The page's clock stops during requests, or
 * they would time out on a slow machine.
 */
export async function waitForText(
  { page, mock, isIdle }: OpenedPage,
  text: string | RegExp,
): Promise<void> {
  const element = page.locator(".stage:not([hidden])").getByText(text).first();
  await expect
    .poll(async () => {
      await mock.clock.advance("1s");
      if (isIdle()) await page.clock.runFor(1_000);
      return element.isVisible();
    })
    .toBe(true);
}

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

export async function choose(page: Page, photo: string, ...garments: string[]): Promise<void> {
  await page.locator("[data-field=person] .drop input").setInputFiles(photo);
  await page.locator("[data-field=garments] input").setInputFiles(garments);
  await expect.poll(() => page.locator(".images li").count()).toBe(1 + garments.length);
}

export interface SubmitOptions extends PageOptions {
  readonly prompt?: string;
  /** Runs before the submission. */
  readonly prepare?: (opened: OpenedPage) => unknown;
}

export async function submit(options: SubmitOptions = {}): Promise<OpenedPage> {
  const opened = await openPage(options);
  await choose(opened.page, person, shirt);
  if (options.prompt) await opened.page.getByLabel("Instructions").fill(options.prompt);
  await options.prepare?.(opened);
  await button(opened.page, "Try it on").click();
  return opened;
}

/** Submits the form and waits until the service has accepted the try-on. */
export async function startTryOn(): Promise<OpenedPage> {
  const opened = await submit();
  await opened.page.locator(".title", { hasText: "Creating your image" }).waitFor();
  return opened;
}

/** Returns the width of each image, 0 while it loads. */
export const widths = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));

/** Writes a file until the end of the test. */
export async function createFile(name: string, content: string | Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-files-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

function recordImages(engine: Engine, rendered: Uint8Array[][]): Engine {
  return {
    name: engine.name,
    render: (request) => {
      const images = [request.person, ...request.garments];
      rendered.push(
        images.map((image) => (image.source === "bytes" ? image.bytes() : new Uint8Array())),
      );
      return engine.render(request);
    },
  };
}

async function textOf(response: Response): Promise<string> {
  const headers = JSON.stringify(await response.allHeaders());
  // A response without a body rejects.
  const body = await response.body().catch(() => Buffer.of());
  return `${response.url()}\n${headers}\n${body.toString("latin1")}`;
}
