import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { startChromium, type Browser } from "@tryon/test-kit/chromium";
import { AppFolder } from "@tryon/test-kit/app-folder";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { node } from "@tryon/test-kit/repository";
import { loopback, type Page } from "../../test/loopback.ts";
import { bundleWithMsw, releases } from "../../test/msw-releases.ts";

const run = promisify(execFile);
const installing = 120_000;
const hasChromium = await isInstalled("chromium");

const outcome = {
  mark: expect.stringMatching(/^tryon-mock\//) as unknown,
  status: "succeeded",
  complete: true,
  credits: 992,
  refused: 401,
  testCost: 0,
  webhook: [200],
  unrelated: "over the network",
  aborted: { error: "Error: enough", jobs: ["running", "succeeded"] },
};

let browser: Browser | undefined;
beforeAll(async () => {
  if (hasChromium) browser = await startChromium();
});
afterAll(() => browser?.close());

describe.each(releases)("msw %s", (release) => {
  let msw: AppFolder;
  beforeAll(async () => {
    msw = await AppFolder.with("msw", `msw@${release}`);
  }, installing);
  afterAll(() => msw.remove());

  test.each(["esm", "cjs"] as const)("completes a try-on in Node: %s", async (format) => {
    const network = await loopback();
    const program = await bundleWithMsw(msw.folder, {
      entry: "msw-program.ts",
      format,
      platform: "node",
    });
    const path = join(msw.folder, format === "esm" ? "program.mjs" : "program.cjs");
    await writeFile(path, program);
    const { stdout, stderr } = await run(node, [path, network.url]);
    // msw warns about the request without a handler, and about nothing else.
    expect(stderr.match(/\[MSW\]/g)).toHaveLength(1);
    expect(stderr).toContain(`GET ${network.url}/unrelated`);
    expect(JSON.parse(stdout)).toMatchObject(outcome);
    expect(network.arrived.map(({ path: called }) => called)).toEqual(["/hook", "/unrelated"]);
  });

  test.runIf(hasChromium).each([
    ["another origin", () => "https://api.tryon.example"],
    ["a path of the page's origin", (origin: string) => `${origin}/tryon`],
  ])("completes a try-on in a page, at %s", async (_name, baseUrlOf) => {
    const script = await bundleWithMsw(msw.folder, {
      entry: "msw-page.ts",
      format: "iife",
      platform: "browser",
    });
    const worker = join(msw.folder, "node_modules/msw/lib/mockServiceWorker.js");
    const pages: Readonly<Record<string, Page>> = {
      "/": { type: "text/html", content: '<!doctype html><script src="/page.js"></script>' },
      "/page.js": { type: "text/javascript", content: script },
      "/mockServiceWorker.js": { type: "text/javascript", content: await readFile(worker) },
    };
    const network = await loopback((path) => pages[path]);
    if (browser === undefined) throw new Error("No browser.");
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(network.url);
    const baseUrl = JSON.stringify(baseUrlOf(network.url));
    const actual: unknown = await page.evaluate(`tryOnInPage(${baseUrl})`);
    expect(actual).toMatchObject({ ...outcome, width: 768, height: 1_024 });
    expect(errors).toEqual([]);
    const hooks = network.arrived.filter(({ path }) => path === "/hook");
    expect(hooks.map(({ headers }) => headers["x-service-event"])).toEqual(["tryon.completed"]);
    expect(JSON.stringify(hooks)).not.toContain("msw");
    expect(network.arrived.filter(({ path }) => /api|results/.test(path))).toEqual([]);
  });
});
