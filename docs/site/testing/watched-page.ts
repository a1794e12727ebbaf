import type { Browser, BrowserContextOptions, Page } from "@tryon/test-kit/chromium";
import { openTestPage } from "@tryon/test-kit/test-page";

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
  const { page, problems: troubles } = await openTestPage(
    browser,
    ({ href }) => href.startsWith(home),
    look,
  );
  page.on("response", (response) => {
    if (response.status() !== 200) troubles.push(`${response.url()}: ${response.status()}`);
  });
  return { page, troubles };
}
