import type { Browser, BrowserContextOptions, Page } from "@tryon/test-kit/chromium";
import { openTestPage } from "@tryon/test-kit/test-page";
import { onTestFinished } from "vitest";

import type { MockOptions } from "../src/mock-interface.ts";
import { createMock } from "../src/mock.ts";
import { serve } from "../src/node/serve.ts";
import { plainCalls } from "./with-faults.ts";

/** A served mock on a manual clock with its page open. What goes wrong in the page, or leaves its origin, is a trouble. */
export async function openControlPage(
  browser: Browser,
  options: MockOptions = {},
  look: BrowserContextOptions = {},
) {
  const mock = createMock({ clock: "manual", seed: "page", ...options });
  let server = await serve(mock);
  onTestFinished(() => server.close());
  const { page, problems: troubles } = await openTestPage(
    browser,
    ({ origin, protocol }) => origin === server.url || protocol === "data:",
    look,
  );
  await page.goto(`${server.url}/__mock/`);
  await page.getByText("Live", { exact: true }).waitFor();
  const headers = {
    authorization: `Bearer ${mock.keys.live}`,
    "content-type": "application/json",
  };
  const { submit } = plainCalls(fetch, server.url, headers);
  const restart = async (): Promise<void> => {
    server = await serve(mock, { port: server.port });
  };
  return { mock, page, troubles, submit, stop: () => server.close(), restart };
}

/** Parts of the page as people find them. */
export const card = (page: Page, title: string) =>
  page.getByRole("region", { name: title, exact: true });
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
export const jobs = (page: Page) => card(page, "Jobs").getByRole("listitem");
export const said = (page: Page, text: RegExp) =>
  page.locator(".notice", { hasText: text }).waitFor();

/** The widths of the images in a place, 0 for one that has not come. */
export const images = (page: Page, place: string): Promise<unknown> =>
  page.evaluate(
    `Array.from(document.querySelectorAll(${JSON.stringify(`${place} img`)}), (image) => image.naturalWidth)`,
  );
