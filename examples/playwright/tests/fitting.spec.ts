import { expect, test } from "@playwright/test";

const photo = {
  name: "me.jpg",
  mimeType: "image/jpeg",
  buffer: Buffer.from("ffd8ffe000000000", "hex"),
};
const shirt = {
  name: "shirt.png",
  mimeType: "image/png",
  buffer: Buffer.from("89504e470d0a1a0a0000000000000000", "hex"),
};

test.beforeEach(async ({ page }) => {
  await page.goto("/");
  await page.waitForFunction(() => window.mock);
  await page.getByLabel("You").setInputFiles(photo);
  await page.getByLabel("Garment").setInputFiles(shirt);
});

test("a visitor gets an image", async ({ page }) => {
  await page.getByRole("button", { name: "Try it on" }).click();
  await expect(page.getByRole("status")).toHaveText("Here you are.");
  const image = page.getByRole("img", { name: "You in the garment" });
  await expect
    .poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth))
    .toBeGreaterThan(0);
});

test("the page reports blocked content", async ({ page }) => {
  await page.evaluate(() => window.mock.nextJob({ outcome: "content_blocked" }));
  await page.getByRole("button", { name: "Try it on" }).click();
  await expect(page.getByRole("status")).toHaveText("This cannot be shown.");
});

test("an overloaded service is retried, and charged once", async ({ page }) => {
  await page.evaluate(() =>
    window.mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 503 }),
  );
  await page.getByRole("button", { name: "Try it on" }).click();
  await expect(page.getByRole("status")).toHaveText("Here you are.");
  const balance = await page.evaluate(
    async () => (await window.mock.ledger("svc_live_mock"))?.balance,
  );
  expect(balance).toBe(992);
});
