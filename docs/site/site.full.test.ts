import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import axe, { type AxeResults } from "axe-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  startChromium,
  type Browser,
  type BrowserContextOptions,
  type Page,
} from "@tryon/test-kit/chromium";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { compiler, root } from "@tryon/test-kit/repository";
import { openTestPage, type TestPage } from "@tryon/test-kit/test-page";
import { startListening, type Listening } from "@tryon/test-kit/listen";

const base = "/some/where/";
const timeout = 300_000;
const hasChromium = await isInstalled("chromium");
const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
};
const samples = [
  "index",
  "guides/get-started",
  "guides/sync-async-webhooks",
  "guides/errors",
  "guides/webhooks",
  "guides/browser-and-react",
  "benchmarks",
  "packages/client",
  "api/index",
  "api/client/classes/TryOn",
].map((page) => `${page}.html`);

let folder: string;
let pages: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tryon-site-"));
  const args = ["run", "docs", "--", "--base", base, "--out", folder];
  await promisify(execFile)("npm", args, { cwd: root });
  pages = globSync("**/*.html", { cwd: folder }).filter((page) => page !== "404.html");
}, timeout);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the site", () => {
  it("has every page that docs/README.md lists, and a page for each export", async () => {
    const list = await readFile(join(folder, "llms.txt"), "utf8");
    const listed = [...list.matchAll(/\]\(([^)]+)\.md\)/g)].map(([, page]) => `${page}.html`);
    expect(listed.length).toBeGreaterThan(30);
    const exports = ["client", "webhooks", "mock", "contract", "ai-sdk"].flatMap((name) => {
      const manifest = readFileSync(join(root, "packages", name, "package.json"), "utf8");
      const { publishConfig } = JSON.parse(manifest) as { publishConfig: { exports: object } };
      return Object.keys(publishConfig.exports)
        .filter((path) => path !== "./package.json")
        .map((path) => join("api", name, path, "index.html"));
    });
    const members = [
      "client/classes/TryOn",
      "client/batch/functions/batch",
      "client/proxy/functions/createProxy",
      "webhooks/functions/createReceiver",
      "webhooks/express/functions/createReceiver",
      "mock/functions/createMock",
      "contract/functions/runContract",
    ].map((page) => `api/${page}.html`);
    expect(exports.length).toBeGreaterThan(25);
    expect(pages).toEqual(expect.arrayContaining([...listed, ...samples, ...exports, ...members]));
  });

  it("has each page as Markdown too, and the guides in one file", async () => {
    const all = await readFile(join(folder, "llms-full.txt"), "utf8");
    for (const page of pages) {
      const text = await readFile(join(folder, page.replace(/html$/, "md")), "utf8");
      expect(text, page).toMatch(/^(# |layout: home)/m);
    }
    expect(all).toContain(await readFile(join(folder, "guides/errors.md"), "utf8"));
  });

  it("makes tabs of adjacent code blocks, and an image with a text of each diagram", async () => {
    const [webhooks, guide, benchmarks = ""] = await Promise.all(
      ["guides/webhooks", "guides/sync-async-webhooks", "benchmarks"].map((page) =>
        readFile(join(folder, `${page}.html`), "utf8"),
      ),
    );
    const charts = benchmarks.match(/<img [^>]*benchmark-[^>]*>/g) ?? [];
    expect(charts.length).toBeGreaterThan(9);
    expect(charts.filter((chart) => !/ width="\d+" height="\d+"/.test(chart))).toEqual([]);
    expect(webhooks).toContain("vp-code-group");
    expect(guide).toMatch(
      /<figure class="diagram" tabindex="0"><svg[^>]+role="img" aria-label="[^"]{40,}"/,
    );
    expect(guide).not.toContain("fonts.googleapis");
  });

  it("is made by code that compiles", { timeout }, async () => {
    const check = promisify(execFile)(process.execPath, [compiler, "-p", import.meta.dirname]);
    // The error of a failed command is compared, because a crashed compiler prints nothing either.
    expect(await check.catch((error: unknown) => error)).toEqual({ stdout: "", stderr: "" });
  });
});

describe.runIf(hasChromium)("the site in a browser", { timeout }, () => {
  let browser: Browser;
  let server: Listening;
  let url: string;
  beforeAll(async () => {
    browser = await startChromium();
    const site = createServer(({ url: path = "" }, response) => {
      const { pathname } = new URL(path, "http://site");
      const file = pathname.replace(base, "/").replace(/\/$/, "/index.html");
      readFile(join(folder, decodeURIComponent(file))).then(
        (bytes) => response.setHeader("content-type", types[extname(file)] ?? "").end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    server = await startListening(site);
    url = `${server.url}${base}`;
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  const open = (options?: BrowserContextOptions): Promise<TestPage<Page>> =>
    openTestPage(browser, ({ href }) => href.startsWith(url), options);
  /** Opens a page and waits until its scripts respond to the user. */
  const openHydrated = async (page: Page, path: string): Promise<void> => {
    await page.goto(url + path);
    await page.waitForFunction(() => "__vue_app__" in (document.querySelector("#app") ?? {}));
  };

  it("shows every page 360 px wide, without scripts and without sideways scrolling", async () => {
    const viewport = { width: 360, height: 780 };
    const { page, problems } = await open({ viewport, javaScriptEnabled: false });
    await page.goto(url);
    // Replacing the body is faster than opening each page, and applies the same styles.
    const widths = await page.evaluate(async (paths) => {
      const found: [path: string, width: number][] = [];
      for (const path of paths) {
        const html = await (await fetch(path)).text();
        document.body.innerHTML = new DOMParser().parseFromString(html, "text/html").body.innerHTML;
        found.push([path, document.documentElement.scrollWidth]);
      }
      return found;
    }, pages);
    expect(widths).toHaveLength(pages.length);
    expect(widths.filter(([, width]) => width > 360)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it.each([
    ["light", 390],
    ["dark", 1_440],
  ] as const)(
    "has no error, layout shift or violation of accessibility rules, in %s colors, %d px wide",
    async (colorScheme, width) => {
      const { page, problems } = await open({ colorScheme, viewport: { width, height: 844 } });
      for (const path of samples) {
        await openHydrated(page, path);
        const shift = await page.evaluate(() => {
          const observer = new PerformanceObserver(() => {});
          observer.observe({ type: "layout-shift", buffered: true });
          const values = observer.takeRecords().map((entry) => Number(Reflect.get(entry, "value")));
          return values.reduce((sum, value) => sum + value, 0);
        });
        // The button "On this page" of the theme gets wider when its scripts load.
        expect(shift, `layout shift of ${path}`).toBeLessThan(0.005);
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate<AxeResults>("axe.run()");
        const found = violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target, html }) => `${id}: ${target.join(" ")} ${html.slice(0, 100)}`),
        );
        expect(found, path).toEqual([]);
      }
      expect(problems).toEqual([]);
    },
  );

  it("loads at most 200 kB, compressed, for a guide", async () => {
    const { page } = await open();
    let bytes = 0;
    page.on("response", async (response) => {
      const body = response.body();
      bytes += gzipSync(await body).length;
    });
    await page.goto(`${url}guides/errors.html`, { waitUntil: "networkidle" });
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(200_000);
  });

  it("finds the page of a task first", async () => {
    const tasks = {
      "how do I retry": "retries-and-idempotency",
      "webhook signature invalid express": "webhooks",
      "402": "pricing-and-credits",
      refund: "pricing-and-credits",
      react: "browser-and-react",
      cancel: "timeouts-and-cancelling",
      "test offline": "test-your-app",
      "polling interval": "sync-async-webhooks",
      "rate limit": "rate-limits",
      HEIC: "images",
      cors: "proxy-security",
      timeout: "timeouts-and-cancelling",
      gdpr: "data-and-privacy",
      "migrate from replicate": "migrate",
      "429": "rate-limits",
    };
    const { page, problems } = await open();
    await openHydrated(page, "index.html");
    await page.keyboard.press("/");
    for (const [question, guide] of Object.entries(tasks)) {
      await page.getByRole("searchbox").fill(question);
      const first = page.locator("#localsearch-list a").first();
      const path = `${base}guides/${guide}.html`;
      await expect
        .poll(() => first.getAttribute("href"), { timeout: 20_000, message: question })
        .toContain(path);
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(/guides\/migrate/);
    expect(problems).toEqual([]);
  });

  it("keeps the colors that a reader chose", async () => {
    const { page } = await open({ colorScheme: "light" });
    await openHydrated(page, "index.html");
    await page.getByRole("switch").first().click();
    await page.goto(`${url}guides/errors.html`);
    expect(await page.evaluate(() => document.documentElement.className)).toContain("dark");
  });

  it("opens the list of pages on a phone", async () => {
    const { page } = await open({ viewport: { width: 360, height: 780 } });
    await openHydrated(page, "guides/errors.html");
    const link = page.locator(".VPSidebar").getByRole("link", { name: "Fault injection" });
    const isInView = (): Promise<boolean> =>
      link.evaluate((element) => element.getBoundingClientRect().right > 0);
    expect(await isInView()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).click();
    await expect.poll(isInView).toBe(true);
    await link.click();
    await page.waitForURL(`${url}guides/fault-injection.html`);
  });

  it("lets the keyboard skip to the content", async () => {
    const { page } = await open();
    await page.goto(`${url}guides/errors.html`);
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to content" });
    expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("VPContent");
  });
});
