import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

// The driver of the browser is at home there, and needs no second place.
import { findChromium, startChromium } from "../../../../packages/mock/src/testing/chromium.ts";
import { buildPages, type BuiltPages } from "./build-pages.ts";
import { openPage, type Opened, type OpenOptions } from "./open-page.ts";

/** A browser and the built pages, for the tests of a file. */
export interface FittingRoom {
  /** Whether there is a browser to test in. */
  readonly present: boolean;
  open(options?: Omit<OpenOptions, "pages">): Promise<Opened>;
}

export async function fittingRoom(): Promise<FittingRoom> {
  const chromium = await findChromium();
  let started: { browser: Browser; pages: BuiltPages } | undefined;
  if (chromium.present) {
    beforeAll(async () => {
      const [browser, pages] = await Promise.all([startChromium(chromium.path), buildPages()]);
      started = { browser, pages };
    });
    afterAll(async () => {
      await started?.browser.close();
      await started?.pages.remove();
    });
  }
  return {
    present: chromium.present,
    open(options) {
      if (started === undefined) throw new Error("The browser is there when the tests begin.");
      return openPage(started.browser, { pages: started.pages.folder, ...options });
    },
  };
}
