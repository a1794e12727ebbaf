import type { Browser, BrowserContextOptions, Page } from "@tryon/test-kit/chromium";
import { onTestFinished } from "vitest";

/** A page of the browser that remembers what went wrong on it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors, answers that are none, and whatever was asked of another host. */
  readonly troubles: readonly string[];
}

export const phone: BrowserContextOptions = {
  viewport: { width: 360, height: 780 },
  hasTouch: true,
};

/** @param home the only address that may be asked for anything. */
export async function openWatched(
  browser: Browser,
  home: string,
  look: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(look);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      troubles.push(`${page.url()}: ${message.text()}`);
    }
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(home)) troubles.push(`${page.url()} asks ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() !== 200) troubles.push(`${response.url()}: ${response.status()}`);
  });
  return { page, troubles };
}
