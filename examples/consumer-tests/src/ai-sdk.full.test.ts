import { useMock } from "@tryon/mock/vitest";
import { installing } from "@tryon/test-kit/app-folder";
import type { Page } from "@tryon/test-kit/chromium";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { hasChromium, seeImage, startNextApp, type NextApp } from "./next-app.ts";

const mock = useMock();
let app: NextApp;

beforeAll(async () => {
  app = await startNextApp("ai-sdk", () => ({
    TRYON_BASE_URL: mock.url,
    TRYON_API_KEY: mock.keys.live,
  }));
}, installing);

afterAll(() => app.close(), installing);

const balance = async (): Promise<number> => Number((await mock.ledger(mock.keys.live))?.balance);

/** Opens the page, chooses the photos, and sends the message. */
async function send(): Promise<Page> {
  const page = await app.openPage("shirt.png");
  await page.getByRole("button", { name: "Try it on" }).click();
  return page;
}

describe.runIf(hasChromium)("the chat", { timeout: installing }, () => {
  test("shows the seconds, and then the image", async () => {
    const before = await balance();
    mock.nextJob({ durationMs: 2_500 });
    const page = await send();
    await page.getByText(/Dressing you… [12] s/).waitFor();
    await seeImage(page);
    expect(await balance()).toBe(before - 8);
  });

  test.each(["the user has stopped waiting", "the connection was lost"])(
    "continues with the same try-on and one charge after %s",
    async (how) => {
      const before = await balance();
      mock.nextJob({ durationMs: 3_000 });
      const page = await send();
      await page.getByText(/Dressing you/).waitFor();
      await expect.poll(balance).toBe(before - 8);
      if (how === "the connection was lost") {
        await app.kill();
        await page.getByText("The connection was lost.").waitFor();
        await app.start();
      } else {
        await page.getByRole("button", { name: "Stop waiting" }).click();
      }
      await page.getByRole("button", { name: "Continue" }).click();
      await seeImage(page);
      expect(await balance()).toBe(before - 8);
    },
  );

  test("tells the user that the content was refused, with nothing to continue", async () => {
    mock.nextJob({ outcome: "content_blocked" });
    const page = await send();
    await page.getByText("This photo or text is not allowed.").waitFor();
    expect(await page.getByRole("button", { name: "Continue" }).count()).toBe(0);
  });

  test.each(["{", "null", "{}", '{"messages":[]}', '{"messages":[{"id":"1"}]}'])(
    "responds with 400 to a user who sends %s",
    async (body) => {
      const headers = { cookie: "session=7f3a" };
      const response = await fetch(`${app.url}/api/looks`, { method: "POST", headers, body });
      expect(response.status).toBe(400);
    },
  );

  test("gives nothing to a visitor without a session", async () => {
    const response = await fetch(`${app.url}/api/looks`, { method: "POST", body: "{}" });
    expect(response.status).toBe(401);
  });
});
