import { readdir, readFile, writeFile } from "node:fs/promises";

import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { findProgram, isInstalled } from "@tryon/test-kit/installed-programs";
import { freePort } from "@tryon/test-kit/free-port";

const hasChromium = await isInstalled("chromium");

describe.runIf(hasChromium)("the example for Playwright", () => {
  let example: AppFolder;

  beforeAll(async () => {
    example = await AppFolder.copy("playwright", {
      CHROMIUM_PATH: await findProgram("chromium"),
      PORT: String(await freePort()),
    });
  }, installing);

  afterAll(() => example.remove(), installing);

  test("compiles", { timeout: installing }, async () => {
    await expect(example.run("npm", ["run", "check"])).resolves.toContain("tsc");
  });

  test("passes in a real browser", { timeout: installing }, async () => {
    // A busy machine must not fail the test.
    const said = await example.run("npm", ["test", "--", "--timeout", "120000"]);
    expect(said).toMatch(/3 passed/);
  });

  test("fails when the page is broken", { timeout: installing }, async () => {
    const path = example.path("src/page.ts");
    const page = await readFile(path, "utf8");
    onTestFinished(() => writeFile(path, page));
    await writeFile(path, page.replace("error.isContentBlocked", "false"));
    const broken = example.run("npm", ["test", "--", "--grep", "blocked"]);
    await expect(broken).rejects.toThrow("1 failed");
  });

  test("publishes no mock", { timeout: installing }, async () => {
    await example.run("npm", ["run", "build"]);
    const files = await readdir(example.path("dist"), { recursive: true });
    const texts = files.filter((file) => file.endsWith(".js"));
    expect(texts.length).toBeGreaterThan(0);
    for (const file of texts) {
      const text = await readFile(example.path("dist", file), "utf8");
      expect(text).not.toContain("svc_live_mock");
    }
    expect(files.filter((file) => file.includes("mockServiceWorker"))).toEqual([]);
  });
});
