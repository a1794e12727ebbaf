import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { MockOptions } from "../../mock-interface.ts";
import { startChromium, type Browser, type BrowserContextOptions } from "@tryon/test-kit/chromium";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { saveScreenshot } from "@tryon/test-kit/test-page";
import {
  button,
  card,
  imageWidths,
  jobs,
  openControlPage,
  waitForNotice,
} from "../../../test/control-page.ts";
import { loopback } from "../../../test/loopback.ts";

const hasChromium = await isInstalled("chromium");

describe.runIf(hasChromium)("the control page in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  const open = (options?: MockOptions, context?: BrowserContextOptions) =>
    openControlPage(browser, options, context);

  test("submits a job, advances the clock, and shows the result and its image", async () => {
    const { mock, page, problems } = await open();
    await page.getByRole("radio", { name: "2K" }).check();
    await button(page, "Submit try-on").click();
    await jobs(page).getByText("running").waitFor();
    await button(page, "+1 s").click();
    await jobs(page).getByText("1 s of 1.5 s").waitFor();
    await button(page, "+1 s").click();
    await jobs(page).getByText("succeeded").waitFor();
    await expect.poll(() => imageWidths(page, ".jobs .thumb")).toEqual([1_536]);
    await jobs(page).locator("summary").click();
    await page.getByText("1536 × 2048").waitFor();
    await expect.poll(() => imageWidths(page, ".jobs .image")).toEqual([1_536]);
    // The link in the ledger opens the row of the job.
    await jobs(page).locator("summary").click();
    await card(page, "Keys and credits").locator("summary").first().click();
    await card(page, "Keys and credits").getByRole("link").click();
    await page.getByText("1536 × 2048").waitFor();
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(988);
    expect(problems).toEqual([]);
  });

  test("shows jobs, requests, deliveries, faults and keys beside each other", async () => {
    const network = await loopback();
    const context = { viewport: { width: 1_180, height: 900 } };
    const { mock, page, problems, submit } = await open({}, context);
    mock.faults.add({ on: "POST /api/v1/tryon", after: 4, status: 503, times: 2 });
    await submit({ webhook_url: `${network.url}/hook` });
    await mock.clock.advance("10s");
    await submit({ prompt: "mock:content_blocked" });
    await mock.clock.advance("10s");
    await submit({}, { authorization: `Bearer ${mock.keys.empty}` });
    await submit({ size: "2K" });
    await jobs(page).getByText("running").waitFor();
    await jobs(page).getByText("failed", { exact: true }).waitFor();
    await expect.poll(() => imageWidths(page, ".jobs .thumb")).toEqual([768]);
    await card(page, "Requests").getByText("submit.402.too-few-credits").waitFor();
    await card(page, "Webhooks").getByText("delivered").waitFor();
    await saveScreenshot(page, "control-page");
    expect(problems).toEqual([]);
  });

  test("waits for the end of a job, and stays usable meanwhile", async () => {
    const { page, problems } = await open();
    await page.getByLabel("Wait until the job ends").check();
    await page.getByRole("combobox", { name: "Key" }).selectOption("svc_test_mock");
    await button(page, "Submit try-on").click();
    await jobs(page).getByText("running").waitFor();
    await button(page, "Run all").click();
    await waitForNotice(page, /is succeeded/);
    await page.getByText("Nothing is due.").waitFor();
    expect(problems).toEqual([]);
  });

  test("shows deliveries to a receiver, and repeats one", async () => {
    const network = await loopback();
    const { page, problems } = await open();
    await page.getByRole("textbox", { name: "Webhook" }).fill(`${network.url}/hook`);
    await button(page, "Submit try-on").click();
    await jobs(page).getByText("running").waitFor();
    await button(page, "+10 s").click();
    const webhooks = card(page, "Webhooks");
    await webhooks.getByText("delivered").waitFor();
    await webhooks.locator("summary").click();
    await webhooks.getByText("x-service-event: tryon.completed").waitFor();
    await webhooks.getByText('"event": "tryon.completed"').waitFor();
    await button(page, "Replay").click();
    await waitForNotice(page, /dlv_\w+: 200/);
    await button(page, "Dismiss").click();
    await webhooks.getByText("replay", { exact: true }).waitFor();
    expect(network.arrived.map(({ path }) => path)).toEqual(["/hook", "/hook"]);
    // The open row stays open below a new one.
    expect(await webhooks.locator("details[open]").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test("shows requests with their reasons, headers and bodies, by status and path", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { mock, page, submit, problems } = await open({}, { permissions });
    const requests = card(page, "Requests");
    const rows = requests.getByRole("listitem");
    await requests.getByText("No requests.").waitFor();
    mock.faults.add({ on: "POST /api/v1/tryon", after: 5, status: 503 });
    await submit({ prompt: "it's <b>mild</b>" });
    await submit({}, { authorization: `Bearer ${mock.keys.empty}` });
    await mock.fetch(`${mock.baseUrl}/api/v1/account`);
    await expect.poll(() => rows.count()).toBe(3);
    await rows.getByText("submit.402.too-few-credits").waitFor();
    await requests.getByLabel("Path").fill("tryon");
    await expect.poll(() => rows.count()).toBe(2);
    await requests.getByLabel("Status").selectOption("2xx");
    await expect.poll(() => rows.count()).toBe(1);
    await rows.locator("summary").click();
    await rows.getByText('"prompt": "it\'s <b>mild</b>"').waitFor();
    await rows.getByText("authorization: Bearer svc_live_…mock").waitFor();
    await rows.getByText('"credits_remaining": 992').waitFor();
    await rows.getByText("fault_1 did not apply: it skips request 1 of the first 5.").waitFor();
    await button(page, "Copy as curl").click();
    await waitForNotice(page, /Copied/);
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toContain('-H "Authorization: Bearer $TRYON_API_KEY"');
    await requests.getByLabel("Status").selectOption("error");
    await requests.getByLabel("Path").fill("");
    await expect.poll(() => rows.count()).toBe(2);
    await rows.last().locator("summary").click();
    await rows.getByText("this try-on costs 8 and the key has 0.").first().waitFor();
    expect(problems).toEqual([]);
  });

  test("loads the response of a request that was in progress", async () => {
    const { mock, page, submit, problems } = await open();
    const response = submit({ wait: true });
    const rows = card(page, "Requests").getByRole("listitem");
    await rows.getByText("pending").waitFor();
    await rows.locator("summary").click();
    await rows.getByText("No response.").waitFor();
    await mock.clock.advance("2s");
    await response;
    await rows.getByText('"status": "succeeded"').waitFor();
    expect(problems).toEqual([]);
  });

  test("adds and removes a fault, and shows the error of a request", async () => {
    const { mock, page, problems } = await open();
    await button(page, "Next submit: 503").click();
    const faults = card(page, "Faults");
    await faults.getByText("status 503, Retry-After 2").waitFor();
    await button(page, "Submit try-on").click();
    await waitForNotice(page, /503/);
    await faults.getByText("spent").waitFor();
    await button(page, "Remove").click();
    await faults.getByText("No faults.").waitFor();
    expect(mock.faults.list()).toEqual([]);
    // The browser logs a response with status 503.
    expect(problems.filter((problem) => !problem.includes("503"))).toEqual([]);
  });

  test("sets the outcome of the next job, and resets after a confirmation", async () => {
    const { page, submit, problems } = await open();
    await page.getByLabel("Outcome").selectOption("content_blocked");
    await button(page, "Set").click();
    await card(page, "Next job").getByRole("listitem").getByText("content_blocked").waitFor();
    await submit();
    const clock = card(page, "Clock");
    await clock.getByLabel("Duration in seconds").fill("1.5");
    await button(page, "Advance").click();
    await jobs(page).getByText("content_blocked, 1.5 s").waitFor();
    page.once("dialog", (dialog) => void dialog.accept());
    await button(page, "Reset").click();
    await page.getByText("No jobs yet.").waitFor();
    expect(problems).toEqual([]);
  });

  test("shows input of callers as text, even if it is HTML", async () => {
    const { mock, page, submit, problems } = await open({
      sendWebhook: () => Promise.reject(new Error(trap)),
    });
    const trap = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await submit({ metadata: { [trap]: trap }, webhook_url: `https://a.example/?${trap}` });
    mock.nextJob({ outcome: "failed", errorMessage: trap });
    await submit();
    await mock.createKey({ name: trap });
    await button(page, "+10 s").click();
    await jobs(page).getByText("failed", { exact: true }).waitFor();
    await jobs(page).getByText("succeeded").click();
    await page.locator("details[open] dd", { hasText: "document.title=2" }).first().waitFor();
    await expect.poll(() => imageWidths(page, ".jobs .image")).toEqual([768]);
    expect(await page.title()).toBe("Try-on mock");
    expect(await page.locator("body script").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test("reports a lost connection, keeps typed text and focus, and reconnects", async () => {
    const { page, stop, restart } = await open();
    await page.getByLabel("Prompt").fill("half a sen");
    await stop();
    await page.getByRole("alert").getByText("The server does not respond.").waitFor();
    await page.keyboard.type("tence");
    await restart();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.getByLabel("Prompt").inputValue()).toBe("half a sentence");
    expect(await page.evaluate("document.activeElement.name")).toBe("prompt");
  });

  test("keeps focus and open rows during updates, and opens a job by keyboard", async () => {
    const { page, submit, problems } = await open();
    await submit();
    const row = jobs(page).first();
    await row.locator("summary").focus();
    await page.keyboard.press("Enter");
    await submit();
    await expect.poll(() => jobs(page).count()).toBe(2);
    expect(await jobs(page).locator("details[open]").count()).toBe(1);
    expect(await jobs(page).last().locator("summary:focus").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test.each(["light", "dark"] as const)(
    "fits the width of a phone with the %s color scheme",
    async (colorScheme) => {
      const context = { viewport: { width: 390, height: 844 }, colorScheme };
      const { mock, page, submit, problems } = await open({}, context);
      const long = "x".repeat(250);
      await submit({ metadata: { [long]: long }, webhook_url: `https://a.example/${long}` });
      await mock.clock.advance("2s");
      await jobs(page).getByText("succeeded").click();
      await page.getByText("Metadata").waitFor();
      await card(page, "Webhooks").locator("summary").first().click();
      await card(page, "Requests").locator("summary").first().click();
      await page.getByText("authorization: Bearer svc_live_…mock").waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
      const background: unknown = await page.evaluate(
        "getComputedStyle(document.documentElement).backgroundColor",
      );
      expect(background).toBe(colorScheme === "dark" ? "rgb(14, 17, 22)" : "rgb(245, 246, 248)");
      expect(problems).toEqual([]);
    },
  );
});
