import { join } from "node:path";

import sharp from "sharp";
import { onTestFinished } from "vitest";

import type { Browser, Page } from "./browsers.ts";
import type { BrowserContextOptions } from "./chromium.ts";
import { root } from "./repository.ts";

/** A page until the end of the test, and its problems so far. */
export interface TestPage<AnyPage> {
  readonly page: AnyPage;
  /** Uncaught errors, errors and warnings in the console, and requests to URLs that are not allowed. */
  readonly problems: string[];
}

export async function openTestPage<AnyPage extends Page>(
  browser: Browser<AnyPage>,
  isAllowed: (url: URL) => boolean,
  options: BrowserContextOptions = {},
): Promise<TestPage<AnyPage>> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    // A failed request names its URL only in the location.
    if (["error", "warning"].includes(message.type()))
      problems.push(`${message.text()} ${message.location().url}`.trim());
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!isAllowed(url)) problems.push(`requested ${url.href}`);
  });
  return { page, problems };
}

/** Writes a screenshot of the page to `docs/images/NAME.webp`, if `TRYON_SCREENSHOTS=write`. */
export async function saveScreenshot(page: Pick<Page, "screenshot">, name: string): Promise<void> {
  if (process.env["TRYON_SCREENSHOTS"] !== "write") return;
  const image = sharp(await page.screenshot({ animations: "disabled" }));
  await image.webp({ quality: 80 }).toFile(join(root, "docs/images", `${name}.webp`));
}
