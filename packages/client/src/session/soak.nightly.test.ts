import { startChromium, type Page } from "@tryon/test-kit/chromium";
import { soak, soakTimeout, type Usage } from "@tryon/test-kit/soak";
import { expect, test } from "vitest";

import {
  bundleSession,
  openSessionShop,
  untilStatus,
  type PageGlobals,
} from "../../test/session-shop.ts";

declare const session: PageGlobals["session"];
declare const begin: PageGlobals["begin"];

/** Returns the function that reads what a page uses after a garbage collection. */
async function usageOf(page: Page): Promise<() => Promise<Usage>> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("Performance.enable");
  return async () => {
    for (let time = 0; time < 3; time += 1) await protocol.send("HeapProfiler.collectGarbage");
    const { metrics } = await protocol.send("Performance.getMetrics");
    const values = new Map(metrics.map(({ name, value }) => [name, value]));
    const of = (name: string): number => values.get(name) ?? Number.NaN;
    const handles = { frames: of("Frames"), documents: of("Documents"), nodes: of("Nodes") };
    return { memory: of("JSHeapUsedSize"), handles, listeners: of("JSEventListeners") };
  };
}

test("a page uses no more after many try-ons", { timeout: soakTimeout }, async () => {
  const [browser, bundle] = await Promise.all([startChromium(), bundleSession()]);
  try {
    const shop = await openSessionShop(browser, bundle, { credits: 1e8 });
    // `startChromium` opens full pages.
    const page = (await shop.open()) as Page;
    const rounds = await soak(
      async () => {
        await page.evaluate(() => begin());
        await untilStatus(page, "waiting");
        await shop.mock.clock.advance("20s");
        await untilStatus(page, "succeeded");
        await page.evaluate(() => session.reset());
      },
      await usageOf(page),
    );
    expect(rounds).toBeGreaterThan(20);
    expect(await shop.charges()).toHaveLength(rounds);
  } finally {
    await browser.close();
  }
});
