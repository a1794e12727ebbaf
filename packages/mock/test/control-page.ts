import type { Browser, BrowserContextOptions, Page } from "@tryon/test-kit/chromium";
import { openTestPage } from "@tryon/test-kit/test-page";
import { onTestFinished } from "vitest";

import type { MockOptions } from "../src/mock-interface.ts";
import { createMock } from "../src/mock.ts";
import { serve } from "../src/node/serve.ts";
import { plainCalls } from "./with-faults.ts";

/** Serves a mock on a manual clock and opens its page. Errors and requests to other origins are problems. */
export async function openControlPage(
  browser: Browser,
  options: MockOptions = {},
  context: BrowserContextOptions = {},
) {
  const mock = createMock({ clock: "manual", seed: "page", ...options });
  let server = await serve(mock);
  onTestFinished(() => server.close());
  const { page, problems } = await openTestPage(
    browser,
    ({ origin, protocol }) => origin === server.url || protocol === "data:",
    context,
  );
  const { controlToken } = server;
  await page.goto(`${server.url}/__mock/?token=${controlToken}`);
  await page.getByText("Live", { exact: true }).waitFor();
  const { submit } = plainCalls(fetch, server.url);
  const restart = async (): Promise<void> => {
    server = await serve(mock, { port: server.port, controlToken });
  };
  return { mock, page, problems, submit, stop: () => server.close(), restart };
}

/** Locators by the roles and names of the page's elements. */
export const card = (page: Page, title: string) =>
  page.getByRole("region", { name: title, exact: true });
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
export const jobs = (page: Page) => card(page, "Jobs").getByRole("listitem");
export const waitForNotice = (page: Page, text: RegExp) =>
  page.locator(".notice", { hasText: text }).waitFor();

/** Returns the widths of images; 0 for an image that has not loaded. */
export const imageWidths = (page: Page, container: string): Promise<unknown> =>
  page.evaluate(
    `Array.from(document.querySelectorAll(${JSON.stringify(`${container} img`)}), (image) => image.naturalWidth)`,
  );
