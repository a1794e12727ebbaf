import { describe, expect, test } from "vitest";

import {
  button,
  choose,
  hasChromium,
  hat,
  openPage,
  person,
  shirt,
  submit,
  waitForText,
  type OpenedPage,
} from "./open-page.ts";

/** The mock uses zod, which tests once if it may compile code. The content security policy reports it. */
const withoutCspReport = ({ problems }: OpenedPage) =>
  problems.filter((problem) => !problem.includes("'script-src' was not explicitly set"));

describe.runIf(hasChromium)("the page with the mock in the page", () => {
  test("shows the chosen images in the result, without any request to a server", async () => {
    const opened = await openPage({ query: "?mock" });
    const { page } = opened;
    const requests: string[] = [];
    // The service worker intercepts requests before this route.
    await page.context().route("**/api/**", (route) => {
      requests.push(route.request().url());
      return route.continue();
    });
    await choose(page, person, shirt, hat);
    await button(page, "Try it on").click();
    await waitForText(opened, "Download");
    const [after, before] = await page.locator(".compare img").evaluateAll((images) =>
      images.map((image) => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 30, height: 40 });
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context?.drawImage(image as HTMLImageElement, 0, 0, 30, 40);
        const color = (x: number, y: number): number[] =>
          [...(context?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3);
        return { wall: color(4, 4), hat: color(25, 5) };
      }),
    );
    expect(distance(after?.wall, before?.wall)).toBeLessThan(20);
    expect(distance(after?.hat, before?.hat)).toBeGreaterThan(40);
    expect(opened.submissions()).toBe(0);
    expect(requests).toEqual([]);
    expect(withoutCspReport(opened)).toEqual([]);
  });

  test("shows a message for blocked content", async () => {
    const opened = await submit({ query: "?mock", prompt: "mock:content_blocked" });
    await waitForText(opened, "This content is not allowed");
    expect(withoutCspReport(opened)).toEqual([]);
  });

  test("resets after a reload, and can be left for the shop", async () => {
    const opened = await submit({ query: "?mock" });
    const { page } = opened;
    await waitForText(opened, "Creating your image");
    await page.reload();
    await page.getByText("Still missing").waitFor();
    await page.getByText("Your image appears here.").waitFor();
    await page.getByRole("link", { name: "Shop" }).click();
    await choose(page, person, shirt);
    await button(page, "Try it on").click();
    await waitForText(opened, "Download");
    expect(await opened.charges()).toEqual([-8]);
    expect(withoutCspReport(opened)).toEqual([]);
  });
});

function distance(one: readonly number[] = [], other: readonly number[] = []): number {
  return Math.hypot(...one.map((value, index) => value - (other[index] ?? 0)));
}
