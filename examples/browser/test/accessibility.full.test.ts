import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import { button, hasChromium, submit, waitForText } from "./open-page.ts";

/** Returns the rules of axe that the page violates, with their elements. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate<AxeResults>("axe.run()");
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(" ")}`),
  );
}

describe.runIf(hasChromium)("accessibility", () => {
  test.each([
    [390, "light"],
    [390, "dark"],
    [1_440, "light"],
    [1_440, "dark"],
  ] as const)("has no violation in any state, %d px wide and %s", async (width, colorScheme) => {
    const context = { colorScheme, viewport: { width, height: 844 } };
    const found: Record<string, readonly string[]> = {};
    const opened = await submit({
      context,
      prepare: async ({ page }) => (found["chosen"] = await violations(page)),
    });
    const { page } = opened;
    await waitForText(opened, "Creating your image");
    found["waiting"] = await violations(page);
    await button(page, "Stop waiting").click();
    found["interrupted"] = await violations(page);
    await button(page, "Get the image").click();
    await waitForText(opened, "Download");
    found["succeeded"] = await violations(page);
    await button(page, "Try on something else").click();
    await page.getByLabel("Instructions").fill("mock:content_blocked");
    await button(page, "Try it on").click();
    await waitForText(opened, "This content is not allowed");
    found["failed"] = await violations(page);
    await page.reload();
    await page.getByText("Still missing").waitFor();
    found["empty"] = await violations(page);
    expect(found).toEqual({
      chosen: [],
      waiting: [],
      interrupted: [],
      succeeded: [],
      failed: [],
      empty: [],
    });
  });
});
