import { useMock } from "@tryon/mock/vitest";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { startChromium, type Browser, type Page } from "@tryon/test-kit/chromium";
import { freePort } from "@tryon/test-kit/free-port";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { assetPath } from "@tryon/test-kit/repository";
import type { Program } from "@tryon/test-kit/start-program";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

const hasChromium = await isInstalled("chromium");
const mock = useMock();
let example: AppFolder;
let app: Program;
let browser: Browser;
let port: number;
let url: string;

async function start(): Promise<void> {
  app = example.start("npm", ["start", "--", "--hostname", "127.0.0.1", "--port", String(port)]);
  await app.waitFor(/Ready in/);
}

beforeAll(async () => {
  port = await freePort();
  url = `http://127.0.0.1:${port}`;
  example = await AppFolder.copy("ai-sdk", {
    NEXT_TELEMETRY_DISABLED: "1",
    TRYON_BASE_URL: mock.url,
    TRYON_API_KEY: mock.keys.live,
  });
  await example.run("npm", ["run", "build"]);
  await start();
  if (hasChromium) browser = await startChromium();
}, installing);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await example.remove();
}, installing);

const balance = async (): Promise<number> => Number((await mock.ledger(mock.keys.live))?.balance);

/** Opens the page, chooses the photos, and sends the message. */
async function send(): Promise<Page> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(url);
  await page.getByLabel("You").setInputFiles(assetPath("person.jpg"));
  await page.getByLabel("Garment").setInputFiles(assetPath("shirt.png"));
  await page.getByRole("button", { name: "Try it on" }).click();
  return page;
}

/** Waits for the image of the answer. */
async function seeImage(page: Page): Promise<void> {
  const image = page.getByRole("img", { name: "You in the garment" });
  await image.waitFor();
  const width = () => image.evaluate((element) => (element as HTMLImageElement).naturalWidth);
  await expect.poll(width).toBeGreaterThan(0);
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
        await app.stop("SIGKILL");
        await page.getByText("The connection was lost.").waitFor();
        await start();
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
      const response = await fetch(`${url}/api/looks`, { method: "POST", headers, body });
      expect(response.status).toBe(400);
    },
  );

  test("gives nothing to a visitor without a session", async () => {
    const response = await fetch(`${url}/api/looks`, { method: "POST", body: "{}" });
    expect(response.status).toBe(401);
  });
});
