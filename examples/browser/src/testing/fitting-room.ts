import { afterAll, beforeAll } from "vitest";

import { startChromium, type Browser } from "@tryon/test-kit/chromium";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { buildPages, type BuiltPages } from "./build-pages.ts";
import { openPage, type Opened, type OpenOptions } from "./open-page.ts";

/** A browser and the built pages, for the tests of a file. */
export interface FittingRoom {
  /** Whether there is a browser to test in. */
  readonly present: boolean;
  open(options?: Omit<OpenOptions, "pages">): Promise<Opened>;
}

export async function fittingRoom(): Promise<FittingRoom> {
  const hasChromium = await isInstalled("chromium");
  let started: { browser: Browser; pages: BuiltPages } | undefined;
  if (hasChromium) {
    beforeAll(async () => {
      const [browser, pages] = await Promise.all([startChromium(), buildPages()]);
      started = { browser, pages };
    });
    afterAll(async () => {
      await started?.browser.close();
      await started?.pages.remove();
    });
  }
  return {
    present: hasChromium,
    open(options) {
      if (started === undefined) throw new Error("The browser is there when the tests begin.");
      return openPage(started.browser, { pages: started.pages.folder, ...options });
    },
  };
}
