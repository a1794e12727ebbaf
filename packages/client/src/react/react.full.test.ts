import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { installedEngines, startEngine, type Browser } from "@tryon/test-kit/browsers";
import { savedTryOns } from "../../test/session-shop.ts";
import { bundleReactPage, click, openReactPage, type Looks } from "../../test/react-page.ts";

type Opened = Awaited<ReturnType<typeof openReactPage>>;

const statusOf = ({ page }: Opened, id: string) => page.locator(`#${id} output`).textContent();

const untilStatus = (opened: Opened, id: string, status: string): Promise<void> =>
  expect.poll(() => statusOf(opened, id)).toBe(status);

/** Returns errors of the page. With a read lag, the first polls of a job get a 404, which the client expects. */
const errorsOf = ({ problems }: Opened): readonly string[] =>
  problems.filter((problem) => !/status of 404 .*\/api\/v1\/tryon\/job_/.test(problem));

/** Advances the clock of the service until the component shows the image. */
async function untilImage(opened: Opened, id: string): Promise<void> {
  await expect
    .poll(async () => {
      await opened.mock.clock.advance("5s");
      return opened.page.evaluate((section) => {
        const images = document.querySelectorAll<HTMLImageElement>(`#${section} img`);
        return [...images].map((one) => one.naturalWidth);
      }, id);
    })
    .toEqual([768]);
}

/** Returns what the page has sent and shown. */
const endOf = async (opened: Opened) => ({
  submissions: opened.submissions(),
  charges: await opened.charges(),
  errors: errorsOf(opened),
});
const once = { submissions: 1, charges: [-8], errors: [] };

/** Starts a try-on in a component and waits until the service has accepted it. */
async function start(opened: Opened, id: string): Promise<void> {
  await click(opened.page, id, "Start");
  await untilStatus(opened, id, "waiting");
}

const engines = await installedEngines(["chromium"]);
describe.each(engines)("useTryOn in %s in strict mode", (engine) => {
  let browser: Browser;
  let bundle: Uint8Array;
  beforeAll(async () => {
    [browser, bundle] = await Promise.all([startEngine(engine), bundleReactPage()]);
  });
  afterAll(() => browser.close());

  const open = (looks: Looks, markup?: string) => openReactPage(browser, bundle, looks, markup);

  test("shows the image, submitted and charged once", async () => {
    const opened = await open([["one"]]);
    await start(opened, "one");
    await untilImage(opened, "one");
    expect(await endOf(opened)).toEqual(once);
  });

  test("shares a try-on between components with the same name", async () => {
    // The second has the default name.
    const opened = await open([["one", "try-on"], ["two"]]);
    await start(opened, "one");
    await untilStatus(opened, "two", "waiting");
    await untilImage(opened, "one");
    await untilImage(opened, "two");
    await click(opened.page, "two", "Delete");
    await untilStatus(opened, "one", "idle");
    expect(await endOf(opened)).toEqual(once);
  });

  test("has one try-on for each name", async () => {
    const opened = await open([
      ["one", "shirt"],
      ["two", "shoes"],
    ]);
    await start(opened, "one");
    expect(await statusOf(opened, "two")).toBe("idle");
    await start(opened, "two");
    await untilImage(opened, "one");
    await untilImage(opened, "two");
    expect(await endOf(opened)).toEqual({ submissions: 2, charges: [-8, -8], errors: [] });
  });

  test("follows a component that changes its name", async () => {
    const opened = await open([["one", "shirt"]]);
    await start(opened, "one");
    await opened.show([["one", "shoes"]]);
    await untilStatus(opened, "one", "idle");
    await opened.show([["one", "shirt"]]);
    await untilImage(opened, "one");
    expect(await endOf(opened)).toEqual(once);
  });

  test("shows nothing of a user to the next one", async () => {
    const opened = await open([["one", "shirt", "visible", "ada"]]);
    await start(opened, "one");
    await opened.show([["one", "shirt", "visible", "bob"]]);
    await untilStatus(opened, "one", "idle");
    await expect.poll(() => savedTryOns(opened.page)).toEqual({});
    expect(await endOf(opened)).toEqual(once);
  });

  test("continues for another component when the one that started it is unmounted", async () => {
    const opened = await open([["one"], ["two"]]);
    await start(opened, "one");
    await opened.show([["two"]]);
    await untilImage(opened, "two");
    expect(await endOf(opened)).toEqual(once);
  });

  test.each<[string, Looks, Looks]>([
    ["unmounted, and continues when one is mounted", [], [["two"]]],
    ["hidden, and continues when it is shown", [["one", "try-on", "hidden"]], [["one"]]],
  ])("stops when the last component is %s", async (_how, without, again) => {
    const opened = await open([["one"]]);
    await start(opened, "one");
    const heldLocks = () =>
      opened.page.evaluate(async () => (await navigator.locks.query()).held?.length);
    expect(await heldLocks()).toBe(1);
    await opened.show(without);
    await expect.poll(heldLocks).toBe(0);
    await opened.show(again);
    await untilImage(opened, again[0]?.[0] ?? "");
    expect(await endOf(opened)).toEqual(once);
  });

  test("continues after a reload, and waits again after a stop", async () => {
    const opened = await open([["one"]]);
    await start(opened, "one");
    await opened.page.reload();
    await untilStatus(opened, "one", "waiting");
    await click(opened.page, "one", "Stop");
    await untilStatus(opened, "one", "interrupted");
    await click(opened.page, "one", "Resume");
    await untilImage(opened, "one");
    expect(await endOf(opened)).toEqual(once);
  });

  test("can resume if the submission after a reload is refused, since the one before was charged", async () => {
    const opened = await open([["one"]]);
    const { page } = opened;
    // The page never gets the response.
    opened.gates.after = new Promise(() => undefined);
    await click(page, "one", "Start");
    await opened.mock.journal.waitFor("POST /api/v1/tryon", { until: "completed" });
    opened.gates.after = Promise.resolve();
    opened.isSignedOut = true;
    await page.reload();
    await untilStatus(opened, "one", "failed");
    opened.isSignedOut = false;
    await click(page, "one", "Resume");
    await untilImage(opened, "one");
    expect(await opened.charges()).toEqual([-8]);
  });

  test("hydrates the markup of a server, and then shows the saved try-on", async () => {
    // The markup that React renders for the component of the page on a server.
    const buttons = ["Start", "Stop", "Resume", "Delete"].map((name) =>
      createElement("button", { key: name, name }, name),
    );
    const status = createElement("output", null, "idle");
    const markup = renderToString(createElement("section", { id: "one" }, status, ...buttons));
    const opened = await open([["one"]], markup);
    await start(opened, "one");
    await opened.page.reload();
    await untilImage(opened, "one");
    expect(await endOf(opened)).toEqual(once);
  });
});
