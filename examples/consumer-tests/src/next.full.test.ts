import { readFile } from "node:fs/promises";

import { isTryOnError } from "@tryon/client";
import { useMock } from "@tryon/mock/vitest";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startChromium, type Browser } from "@tryon/test-kit/chromium";
import { assetPath } from "@tryon/test-kit/repository";
import type { Program } from "@tryon/test-kit/start-program";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { freePort } from "@tryon/test-kit/free-port";
import { addReceivers, testReceivers } from "./next-receivers.ts";
import { visitor, wish } from "./visitor.ts";

const hasChromium = await isInstalled("chromium");
const mock = useMock();
let example: AppFolder;
let app: Program;
let browser: Browser;
let port: number;
let url: string;

beforeAll(async () => {
  port = await freePort();
  url = `http://127.0.0.1:${port}`;
  example = await AppFolder.copy("next", {
    NEXT_TELEMETRY_DISABLED: "1",
    TRYON_BASE_URL: mock.url,
    TRYON_API_KEY: mock.keys.live,
    TRYON_WEBHOOK_SECRET: mock.webhookSecret,
    TRYON_WEBHOOK_URL: `${url}/webhooks/tryon`,
  });
  await addReceivers(example);
  await example.run("npm", ["run", "build"]);
  app = example.start("npm", ["start", "--", "--hostname", "127.0.0.1", "--port", String(port)]);
  await app.waitFor(/Ready in/);
  if (hasChromium) browser = await startChromium();
}, installing);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await example.remove();
}, installing);

async function events(): Promise<readonly unknown[]> {
  const text = await readFile(example.path("results.ndjson"), "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line): unknown => JSON.parse(line));
}

describe.runIf(hasChromium)("the page", { timeout: installing }, () => {
  test("creates an image from two files without a key, and receives its webhook", async () => {
    const page = await browser.newPage();
    const said: string[] = [];
    page.on("pageerror", (error) => said.push(error.message));
    page.on("request", (request) => {
      if (request.headers()["authorization"] !== undefined) said.push("a page has a key");
    });
    await page.goto(url);
    await page.getByLabel("You").setInputFiles(assetPath("person.jpg"));
    await page.getByLabel("Garment").setInputFiles(assetPath("shirt.png"));
    await page.getByRole("button", { name: "Try it on" }).click();
    const image = page.getByRole("img", { name: "You in the garment" });
    await image.waitFor();
    const width = () => image.evaluate((element) => (element as HTMLImageElement).naturalWidth);
    await expect.poll(width).toBeGreaterThan(0);
    const [{ jobId } = { jobId: "" }] = mock.journal
      .entries({ method: "POST", path: "/api/v1/tryon" })
      .filter(({ submission }) => submission !== null)
      .slice(-1);
    await expect.poll(events).toContainEqual([jobId, "succeeded"]);
    expect(said).toEqual([]);
    await page.close();
  });

  test("finds a try-on after all its responses were lost and the page was reloaded, and is charged once", async () => {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByLabel("You").setInputFiles(assetPath("person.jpg"));
    await page.getByLabel("Garment").setInputFiles(assetPath("jacket.webp"));
    const before = Number((await mock.ledger(mock.keys.live))?.balance);
    // As often as the client sends it by itself.
    mock.faults.add({ on: "POST /api/v1/tryon", times: 4, reset: "after" });
    await page.getByRole("button", { name: "Try it on" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    const image = page.getByRole("img", { name: "You in the garment" });
    await image.waitFor();
    await page.reload();
    await image.waitFor();
    await page.getByRole("button", { name: "Delete my photos" }).click();
    await image.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("button", { name: "Try it on" }).waitFor();
    expect(await page.getByRole("img").count()).toBe(0);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(before - 8);
    expect(mock.faults.list().map(({ applied }) => applied)).toEqual([4]);
    await page.close();
  });

  test("tells a visitor that the content was refused", async () => {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByLabel("You").setInputFiles(assetPath("person.jpg"));
    await page.getByLabel("Garment").setInputFiles(assetPath("hat.png"));
    mock.nextJob({ outcome: "content_blocked" });
    await page.getByRole("button", { name: "Try it on" }).click();
    await expect.poll(() => page.getByRole("status").first().textContent()).toMatch(/cannot be/);
    await page.close();
  });
});

test.each(["", "session=made-up"])("the proxy rejects the cookie %j", async (cookie) => {
  const refused = await visitor(url, cookie)
    .run(wish)
    .catch((error: unknown) => error);
  expect(isTryOnError(refused, "unauthorized")).toBe(true);
});

test("the receiver handles an event once that comes twice, and refuses a changed one", async () => {
  await visitor(url, "session=7f3a").run(wish);
  const delivery = (await mock.webhooks.deliveries()).at(-1);
  const { id = "", jobId = "" } = delivery ?? {};
  await expect.poll(events).toContainEqual([jobId, "succeeded"]);
  const again = await mock.webhooks.duplicate(id);
  expect(again.attempts.map(({ status }) => status)).toEqual([204]);
  const forged = await mock.webhooks.tamper(id);
  expect(forged.attempts.map(({ status }) => status)).toEqual([400]);
  expect((await events()).filter((event) => String(event).startsWith(jobId))).toHaveLength(1);
});

testReceivers(() => ({ example, port }));
