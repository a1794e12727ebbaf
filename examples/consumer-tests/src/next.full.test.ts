import { readFile } from "node:fs/promises";

import { isTryOnError } from "@tryon/client";
import { useMock } from "@tryon/mock/vitest";
import { installing } from "@tryon/test-kit/app-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { hasChromium, seeImage, startNextApp, type NextApp } from "./next-app.ts";
import { addReceivers, testReceivers } from "./next-receivers.ts";
import { visitor, wish } from "./visitor.ts";

const mock = useMock();
let app: NextApp;

beforeAll(async () => {
  app = await startNextApp(
    "next",
    (url) => ({
      TRYON_BASE_URL: mock.url,
      TRYON_API_KEY: mock.keys.live,
      TRYON_WEBHOOK_SECRET: mock.webhookSecret,
      TRYON_WEBHOOK_URL: `${url}/webhooks/tryon`,
    }),
    addReceivers,
  );
}, installing);

afterAll(() => app.close(), installing);

async function events(): Promise<readonly unknown[]> {
  const text = await readFile(app.example.path("results.ndjson"), "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line): unknown => JSON.parse(line));
}

describe.runIf(hasChromium)("the page", { timeout: installing }, () => {
  test("creates an image from two files without a key, and receives its webhook", async () => {
    const said: string[] = [];
    const page = await app.openPage("shirt.png", (opened) => {
      opened.on("pageerror", (error) => said.push(error.message));
      opened.on("request", (request) => {
        if (request.headers()["authorization"] !== undefined) said.push("a page has a key");
      });
    });
    await page.getByRole("button", { name: "Try it on" }).click();
    await seeImage(page);
    const [{ jobId } = { jobId: "" }] = mock.journal
      .entries({ method: "POST", path: "/api/v1/tryon" })
      .filter(({ submission }) => submission !== null)
      .slice(-1);
    await expect.poll(events).toContainEqual([jobId, "succeeded"]);
    expect(said).toEqual([]);
  });

  test("finds a try-on after all its responses were lost and the page was reloaded, and is charged once", async () => {
    const page = await app.openPage("jacket.webp");
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
  });

  test("tells a visitor that the content was refused", async () => {
    const page = await app.openPage("hat.png");
    mock.nextJob({ outcome: "content_blocked" });
    await page.getByRole("button", { name: "Try it on" }).click();
    await expect.poll(() => page.getByRole("status").first().textContent()).toMatch(/cannot be/);
  });
});

test.each(["", "session=made-up"])("the proxy rejects the cookie %j", async (cookie) => {
  const refused = await visitor(app.url, cookie)
    .run(wish)
    .catch((error: unknown) => error);
  expect(isTryOnError(refused, "unauthorized")).toBe(true);
});

test("the receiver handles an event once that comes twice, and refuses a changed one", async () => {
  await visitor(app.url, "session=7f3a").run(wish);
  const delivery = (await mock.webhooks.deliveries()).at(-1);
  const { id = "", jobId = "" } = delivery ?? {};
  await expect.poll(events).toContainEqual([jobId, "succeeded"]);
  const again = await mock.webhooks.duplicate(id);
  expect(again.attempts.map(({ status }) => status)).toEqual([204]);
  const forged = await mock.webhooks.tamper(id);
  expect(forged.attempts.map(({ status }) => status)).toEqual([400]);
  expect((await events()).filter((event) => String(event).startsWith(jobId))).toHaveLength(1);
});

testReceivers(() => app);
