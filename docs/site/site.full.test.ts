import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { startChromium, type Browser } from "@tryon/test-kit/chromium";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { contents } from "../contents.ts";
import { root } from "./places.ts";
import { serveSite, type ServedSite } from "./serve.ts";
import { buildForTest, type BuiltSite } from "./testing/built-site.ts";
import { faintTexts } from "./testing/contrast.ts";
import { openWatched, phone } from "./testing/watched-page.ts";

const buildLimit = 300_000;
const faults = "guides/fault-injection.html";
/** Of one test in the browser, or of the compiler, on a machine that is busy with others. */
const timeout = 120_000;
const hasChromium = await isInstalled("chromium");

let site: BuiltSite;
let served: ServedSite;

beforeAll(async () => {
  site = await buildForTest();
  served = await serveSite(site.folder);
}, buildLimit);

afterAll(async () => {
  await served.close();
  await site.remove();
});

describe("the site", () => {
  it("has a page for each of the contents, each package and each entry of one", () => {
    const listed = contents.flatMap(({ pages }) =>
      pages.map(({ file }) => file.replace(/README\.md$/u, "index.md").replace(/md$/u, "html")),
    );
    const packages = ["client", "webhooks", "mock", "contract", "cli"].flatMap((name) => [
      `packages/${name}.html`,
      // A command has no entry.
      ...(name === "cli" ? [] : [`api/${name}/index.html`]),
    ]);
    const reference = [
      "client/classes/TryOn",
      "client/batch/functions/batch",
      "client/proxy/functions/createProxy",
      "webhooks/functions/createReceiver",
      "webhooks/express/functions/createReceiver",
      "mock/functions/createMock",
      "contract/functions/runContract",
    ].map((path) => `api/${path}.html`);
    expect(site.pages).toEqual(
      expect.arrayContaining(["index.html", ...listed, ...packages, ...reference]),
    );
  });

  it("has each page as Markdown too, and lists the pages for programs", async () => {
    for (const page of site.pages) {
      expect(await readFile(join(site.folder, page.replace(/html$/u, "md")), "utf8")).toContain(
        "# ",
      );
    }
    const list = await readFile(join(site.folder, "llms.txt"), "utf8");
    const links = [...list.matchAll(/\]\(([^)]+)\)/gu)].map(([, href = ""]) => href);
    expect(links.length).toBeGreaterThanOrEqual(contents.flatMap(({ pages }) => pages).length);
    for (const href of links) {
      const text = await readFile(join(site.folder, href), "utf8");
      const [title = ""] = /^# .+$/mu.exec(text) ?? [];
      expect(await readFile(join(site.folder, "llms-full.txt"), "utf8")).toContain(title);
    }
  });

  it("is made by code that compiles", { timeout }, async () => {
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const check = promisify(execFile)(process.execPath, [compiler, "-p", import.meta.dirname]);
    // Not of the output alone: a compiler that breaks down has none either.
    expect(await check.catch((error: unknown) => error)).toEqual({ stdout: "", stderr: "" });
  });
});

describe.runIf(hasChromium)("the site in a browser", { timeout }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());
  const open = (look = {}) => openWatched(browser, served.url, look);

  it(
    "opens every page on a phone, without an error, a foreign request or sideways scrolling, and every link leads somewhere",
    async () => {
      const { page, troubles } = await open(phone);
      const anchors = new Map<string, readonly string[]>();
      const links = new Map<string, string>();
      for (const path of site.pages) {
        await page.goto(served.url + path);
        const seen = await page.evaluate(() => ({
          width: document.documentElement.scrollWidth,
          ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
          links: [...document.querySelectorAll("a")].map(({ href }) => href),
        }));
        expect(seen.width, `${path} is wider than a phone`).toBeLessThanOrEqual(360);
        anchors.set(served.url + path, seen.ids);
        for (const href of seen.links) links.set(href, path);
      }
      expect(troubles).toEqual([]);
      const dead: string[] = [];
      for (const [href, from] of links) {
        if (!href.startsWith(served.url)) continue;
        const [address = "", hash = ""] = href.split("#");
        const ids = anchors.get(address) ?? ((await fetch(address)).ok ? [] : undefined);
        const leads = ids !== undefined && (hash === "" || ids.includes(decodeURIComponent(hash)));
        if (!leads) dead.push(`${from} links to ${href}`);
      }
      expect(links.size).toBeGreaterThan(site.pages.length);
      expect(dead).toEqual([]);
    },
    buildLimit,
  );

  it.each([
    ["idempotency", /guides\/retries-and-idempotency/u],
    ["content_blocked", /guides\/(errors|data-and-privacy|test-your-app)/u],
    ["createReceiver", /api\/webhooks\/functions\/createReceiver/u],
    ["rate limit", /guides\/(batch-jobs|service)/u],
  ])("finds %s, and leads there by the keyboard alone", async (question, place) => {
    const { page, troubles } = await open();
    await page.goto(served.url);
    await page.keyboard.press("/");
    await page.keyboard.type(question);
    await page.locator("#found li").first().waitFor();
    const found = await page.locator("#found a").evaluateAll((links) =>
      // What the list holds are links.
      (links as HTMLAnchorElement[]).slice(0, 5).map(({ href }) => href),
    );
    const wanted = found.findIndex((href) => place.test(href));
    expect(found.join("\n")).toMatch(place);
    for (let step = 0; step < wanted; step += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(place);
    const text = await page.locator("main").textContent();
    expect(text?.toLowerCase()).toContain(question.toLowerCase());
    expect(troubles).toEqual([]);
  });

  it("says so where nothing is found, and closes with Escape", async () => {
    const { page } = await open();
    await page.goto(served.url);
    await page.getByRole("button", { name: "Search" }).click();
    await page.keyboard.type("xyzzyplugh");
    await page.getByText("Nothing is called that").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator("dialog").isVisible()).toBe(false);
  });

  it.each(["light", "dark"] as const)(
    "is %s where the system is, and can be read",
    async (look) => {
      const { page } = await open({ colorScheme: look });
      for (const path of ["index.html", faults, "api/client/classes/TryOn.html"]) {
        await page.goto(served.url + path);
        const ground = await page.evaluate(
          () => getComputedStyle(document.body.parentElement ?? document.body).backgroundColor,
        );
        expect(ground).toBe(look === "light" ? "rgb(255, 255, 255)" : "rgb(21, 22, 26)");
        expect(await faintTexts(page), path).toEqual([]);
      }
      await page.keyboard.press("/");
      await page.keyboard.type("budget");
      await page.locator("#found li").first().waitFor();
      expect(await faintTexts(page), "the search").toEqual([]);
    },
  );

  it("keeps the look that a reader chose, on every page", async () => {
    const { page } = await open({ colorScheme: "light" });
    await page.goto(served.url);
    await page.getByRole("button", { name: "Dark colors" }).click();
    await page.goto(`${served.url}${faults}`);
    await page.getByRole("button", { name: "Light colors" }).waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe(
      "dark",
    );
  });

  it("shows the list of pages on a phone when asked, and hides it with Escape", async () => {
    const { page } = await open(phone);
    await page.goto(`${served.url}${faults}`);
    const list = page.getByRole("navigation", { name: "All pages" });
    expect(await list.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).click();
    expect(
      await list.getByRole("link", { name: "Fault injection" }).getAttribute("aria-current"),
    ).toBe("page");
    await page.keyboard.press("Escape");
    expect(await list.isVisible()).toBe(false);
  });

  it("shows what has the focus, and lets the keyboard skip to the text", async () => {
    const { page } = await open();
    await page.goto(`${served.url}${faults}`);
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to the text" });
    expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true);
    expect(await skip.evaluate((link) => getComputedStyle(link).outlineStyle)).toBe("solid");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");
  });

  it("works below any address, and without scripts", async () => {
    const below = await serveSite(site.folder, 0, "/some/where/");
    onTestFinished(below.close);
    const { page, troubles } = await openWatched(browser, below.url);
    await page.goto(below.url);
    await page.getByRole("link", { name: "Fault injection" }).first().click();
    await page.waitForURL(`${below.url}${faults}`);
    await page.keyboard.press("/");
    await page.keyboard.type("createMock");
    await page.locator("#found a").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${below.url}api/mock/functions/createMock.html`);
    expect(troubles).toEqual([]);
    const plain = await openWatched(browser, below.url, { javaScriptEnabled: false, ...phone });
    await plain.page.goto(`${below.url}${faults}`);
    expect(await plain.page.getByRole("navigation", { name: "All pages" }).isVisible()).toBe(true);
    expect(plain.troubles).toEqual([]);
  });
});
