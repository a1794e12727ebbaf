import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";

import {
  button,
  hasChromium,
  person,
  startTryOn,
  submit,
  waitForText,
  widths,
} from "./open-page.ts";

/** Returns the rules of axe that the page violates, with their elements. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate<AxeResults>("axe.run()");
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(" ")}`),
  );
}

describe.runIf(hasChromium)("the states of the page", () => {
  test.each([
    [390, "light"],
    [390, "dark"],
    [1_440, "light"],
    [1_440, "dark"],
  ] as const)(
    "has no violation of accessibility rules, %d px wide and %s",
    async (width, colorScheme) => {
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
    },
  );

  test("blocked content shows a message, and the form can be changed", async () => {
    const opened = await submit({ prompt: "mock:content_blocked" });
    const { page, problems } = opened;
    await waitForText(opened, "This content is not allowed");
    await button(page, "Make changes").click();
    await page.getByText("Your image appears here.").waitFor();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("FORM");
    await page.getByLabel("Instructions").fill("");
    await button(page, "Try it on").click();
    await waitForText(opened, "Download");
    expect(problems).toEqual([]);
  });

  test("a job continues after the visitor stops waiting, and is charged once after a reload", async () => {
    const opened = await startTryOn();
    const { page, charges, submissions, problems } = opened;
    await button(page, "Stop waiting").click();
    await page.getByRole("heading", { name: "You stopped waiting" }).waitFor();
    await page.getByText(/your image is still made/).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "You stopped waiting" }).waitFor();
    await button(page, "Get the image").click();
    await waitForText(opened, "Download");
    expect(submissions()).toBe(1);
    expect(await charges()).toEqual([-8]);
    await expect.poll(() => widths(page, ".compare img")).toEqual([768, 900]);
    expect(await page.evaluate(countStoredRequests)).toBe(1);
    await button(page, "Try on something else").click();
    await expect.poll(() => page.evaluate(countStoredRequests)).toBe(0);
    expect(problems).toEqual([]);
  });

  test("a visitor deletes the photo from the browser, during a try-on and after it", async () => {
    const opened = await startTryOn();
    const { page, charges } = opened;
    const deletePhoto = button(page, "Delete my photo");
    await deletePhoto.click();
    await page.getByText("Your image appears here.").waitFor();
    await expect.poll(() => page.evaluate(countStoredRequests)).toBe(0);
    expect(await page.locator("[data-field=person] li").count()).toBe(0);
    const announcement = await page.locator(".announcement").textContent();
    expect(announcement).toBe("Your photo was deleted from this browser.");
    expect(await deletePhoto.isVisible()).toBe(false);
    await page.locator("[data-field=person] .drop input").setInputFiles(person);
    await button(page, "Try it on").click();
    await waitForText(opened, "Download");
    await page.reload();
    await page.getByRole("img", { name: "You in the garments" }).waitFor();
    await deletePhoto.click();
    await expect.poll(() => page.evaluate(countStoredRequests)).toBe(0);
    await page.reload();
    await page.getByText("Your image appears here.").waitFor();
    expect(await charges()).toEqual([-8, -8]);
  });

  test("a lost response leads to a status check, charged once", async () => {
    let attempts = 0;
    const opened = await submit({
      prepare: ({ page }) =>
        page.route("**/api/v1/tryon", async (route) => {
          attempts += 1;
          // The service receives only the first attempt.
          if (attempts === 1) await route.fetch();
          await route.abort("connectionreset");
        }),
    });
    const { page, charges, submissions } = opened;
    await waitForText(opened, "The connection was lost");
    await page.locator(".text", { hasText: "it is never made twice" }).waitFor();
    expect(attempts).toBe(4);
    expect(await charges()).toEqual([-8]);
    await page.unrouteAll();
    await button(page, "Check the status").click();
    await waitForText(opened, "Download");
    expect(submissions()).toBe(2);
    expect(await charges()).toEqual([-8]);
    expect(opened.rendered).toHaveLength(1);
  });

  test("a rate limit shows how long to wait", async () => {
    const fault = { on: "POST /api/v1/tryon", times: 1, status: 429, retryAfter: 170 } as const;
    const opened = await submit({ prepare: ({ mock }) => mock.faults.add(fault) });
    const { page, charges } = opened;
    await page.locator(".title", { hasText: "Too many requests" }).waitFor();
    await page.locator(".text", { hasText: "Try again in 3 minutes." }).waitFor();
    expect(await charges()).toEqual([]);
    await page.clock.fastForward("03:00");
    await button(page, "Try again").click();
    await waitForText(opened, "Download");
    expect(await charges()).toEqual([-8]);
  });

  test("missing credits of the shop stay secret", async () => {
    const opened = await submit({ credits: 3 });
    await waitForText(opened, "No try-ons at the moment");
    const stage = opened.page.locator(".stage:not([hidden])");
    expect(await stage.innerText()).not.toMatch(/credit|key|\d/i);
    const responses = (await opened.received()).filter((text) => text.includes("/api/tryon/"));
    // The images are uploaded once: nothing changes before the shop buys credits.
    expect(responses.filter((text) => text.includes("/api/v1/tryon"))).toHaveLength(1);
    expect(responses.join("\n")).not.toMatch(/credit/i);
  });

  test("an expired session leads to a reload that keeps the request", async () => {
    const opened = await submit({ prepare: ({ page }) => page.context().clearCookies() });
    const { page } = opened;
    await page.getByRole("heading", { name: "Your session has expired" }).waitFor();
    await button(page, "Reload the page").click();
    await waitForText(opened, "Download");
    expect(await opened.charges()).toEqual([-8]);
  });
});

/** Counts the stored requests. Runs in the page. */
async function countStoredRequests(): Promise<number> {
  const request = indexedDB.open("tryon-session");
  await new Promise((resolve) => request.addEventListener("success", resolve));
  const count = request.result.transaction("try-ons").objectStore("try-ons").count();
  await new Promise((resolve) => count.addEventListener("success", resolve));
  request.result.close();
  return count.result;
}
