import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import type { MockOptions } from "../../mock-interface.ts";
import { startChromium, type Browser, type BrowserContextOptions } from "@tryon/test-kit/chromium";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { button, card, jobs, openControlPage, images, said } from "../../../test/control-page.ts";
import { loopback } from "../../../test/loopback.ts";

const hasChromium = await isInstalled("chromium");

describe.runIf(hasChromium)("the control page in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  const opened = (options?: MockOptions, look?: BrowserContextOptions) =>
    openControlPage(browser, options, look);

  test("submits a job, moves time, and shows the image and what became of the job", async () => {
    const { mock, page, troubles } = await opened();
    await page.getByLabel("Prompt").fill("evening light");
    await page.getByRole("radio", { name: "2K" }).check();
    await button(page, "Submit try-on").click();
    await jobs(page).getByText("running").waitFor();
    await button(page, "+1 s").click();
    await jobs(page).getByText("1 s of 1.5 s").waitFor();
    await button(page, "+1 s").click();
    await jobs(page).getByText("succeeded").waitFor();
    await expect.poll(() => images(page, ".jobs")).toEqual([1_536]);
    await jobs(page).getByRole("link").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("evening light", { exact: true }).waitFor();
    await expect.poll(() => images(page, "dialog")).toEqual([1_536]);
    expect(await dialog.innerText()).toContain("12 credits");
    expect(await dialog.innerText()).toContain("1536 × 2048");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await expect.poll(() => new URL(page.url()).hash).toBe("");
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(988);
    expect(troubles).toEqual([]);
  });

  test("holds a call until its job ends, and can be used meanwhile", async () => {
    const { page, troubles } = await opened();
    await page.getByLabel("Hold the call until the job ends").check();
    await page.getByRole("combobox", { name: "Key" }).selectOption("svc_test_mock");
    await button(page, "Submit try-on").click();
    await page.getByText("1 call held until the job ends.").waitFor();
    await button(page, "Run all").click();
    await said(page, /is succeeded/);
    await page.getByText("Nothing is due.").waitFor();
    expect(troubles).toEqual([]);
  });

  test("shows deliveries to a receiver, and sends one again", async () => {
    const network = await loopback();
    onTestFinished(() => network.close());
    const { page, troubles } = await opened();
    await page.getByRole("textbox", { name: "Webhook" }).fill(`${network.url}/hook`);
    await button(page, "Submit try-on").click();
    await jobs(page).getByText("running").waitFor();
    await button(page, "+10 s").click();
    const webhooks = card(page, "Webhooks");
    await webhooks.getByText("delivered").waitFor();
    await webhooks.locator("summary").click();
    await button(page, "Replay").click();
    await said(page, /dlv_\w+: 200/);
    await webhooks.getByText("replay", { exact: true }).waitFor();
    expect(network.arrived.map(({ path }) => path)).toEqual(["/hook", "/hook"]);
    // The row that was opened is still open although another has come above it.
    expect(await webhooks.locator("details[open]").count()).toBe(1);
    await webhooks.getByRole("link").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.locator(".delivery summary").first().click();
    await dialog.getByRole("button", { name: "Tamper" }).first().click();
    await dialog.getByText("tamper", { exact: true }).waitFor();
    // What is said of it is within reach of whoever is in the dialog.
    await dialog.getByRole("button", { name: "Dismiss" }).last().click();
    expect(troubles).toEqual([]);
  });

  test("adds and removes a fault, and says what a struck call was told", async () => {
    const { mock, page, troubles } = await opened();
    await button(page, "Next submit: 503").click();
    const faults = card(page, "Faults");
    await faults.getByText("answers 503, Retry-After 2").waitFor();
    await button(page, "Submit try-on").click();
    await said(page, /503/);
    await faults.getByText("spent").waitFor();
    await button(page, "Remove").click();
    await faults.getByText("Nothing goes wrong.").waitFor();
    expect(mock.faults.list()).toEqual([]);
    // A browser itself notes an answer of 503.
    expect(troubles.filter((trouble) => !trouble.includes("503"))).toEqual([]);
  });

  test("says how the next job ends, and filters jobs by how they ended", async () => {
    const { page, submit, troubles } = await opened();
    await page.getByLabel("Outcome").selectOption("content_blocked");
    await button(page, "Set").click();
    await card(page, "Next job").getByRole("listitem").getByText("content_blocked").waitFor();
    await submit();
    await submit();
    await page.getByLabel("How far").fill("1.5");
    await button(page, "Advance").click();
    await jobs(page).getByText("content_blocked, 1.5 s").waitFor();
    await card(page, "Jobs").getByRole("button", { name: "Failed" }).click();
    await expect.poll(() => jobs(page).count()).toBe(1);
    await card(page, "Jobs").getByRole("button", { name: "Queued" }).click();
    await page.getByText("No job is queued now.").waitFor();
    expect(troubles).toEqual([]);
  });

  test("goes back to a snapshot, and resets at the second click alone", async () => {
    const { page, submit, troubles } = await opened();
    await submit();
    await expect.poll(() => jobs(page).count()).toBe(1);
    await button(page, "Snapshot").click();
    await button(page, "Restore snap_1").waitFor();
    await submit();
    await expect.poll(() => jobs(page).count()).toBe(2);
    await button(page, "Restore snap_1").click();
    await expect.poll(() => jobs(page).count()).toBe(1);
    await button(page, "Reset").click();
    await button(page, "Click again to reset").waitFor();
    expect(await jobs(page).count()).toBe(1);
    await button(page, "Click again to reset").click();
    await page.getByText("No jobs yet.").waitFor();
    expect(troubles).toEqual([]);
  });

  test("shows what callers send as text, whatever it looks like", async () => {
    const { mock, page, submit, troubles } = await opened({
      sendWebhook: () => Promise.reject(new Error(trap)),
    });
    const trap = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await submit({
      prompt: trap,
      metadata: { [trap]: trap },
      webhook_url: `https://a.example/?${trap}`,
    });
    mock.nextJob({ outcome: "failed", errorMessage: trap });
    await submit();
    await mock.createKey({ name: trap });
    await button(page, "+10 s").click();
    await jobs(page).getByText("failed", { exact: true }).waitFor();
    await jobs(page).getByText("succeeded").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(trap, { exact: true }).first().waitFor();
    await expect.poll(() => images(page, "dialog")).toEqual([768]);
    expect(await page.title()).toBe("Try-on mock");
    expect(await page.locator("body script").count()).toBe(1);
    expect(troubles).toEqual([]);
  });

  test("says that the server is gone, keeps what was typed, and goes on when it is back", async () => {
    const { page, stop, restart } = await opened();
    await page.getByLabel("Prompt").fill("half a sen");
    await stop();
    await page.getByRole("alert").getByText("The server does not answer.").waitFor();
    await page.keyboard.type("tence");
    await restart();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.getByLabel("Prompt").inputValue()).toBe("half a sentence");
    expect(await page.evaluate("document.activeElement.name")).toBe("prompt");
  });

  test.each(["light", "dark"] as const)("fits a phone in a %s scheme", async (colorScheme) => {
    const look = { viewport: { width: 390, height: 844 }, colorScheme };
    const { mock, page, submit, troubles } = await opened({}, look);
    const long = "x".repeat(250);
    await submit({ metadata: { [long]: long }, webhook_url: `https://a.example/${long}` });
    await mock.clock.advance("2s");
    await jobs(page).getByText("succeeded").click();
    await page.getByRole("dialog").getByText("Metadata").waitFor();
    const width =
      'Math.max(document.documentElement.scrollWidth, document.querySelector("dialog").scrollWidth)';
    expect(await page.evaluate(width)).toBe(390);
    const ground: unknown = await page.evaluate(
      "getComputedStyle(document.documentElement).backgroundColor",
    );
    expect(ground).toBe(colorScheme === "dark" ? "rgb(14, 17, 22)" : "rgb(245, 246, 248)");
    expect(troubles).toEqual([]);
  });
});
