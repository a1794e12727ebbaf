import { execFile } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

import type { Browser } from "@tryon/test-kit/browsers";

import { writeProgram } from "./bundles.ts";
import { node } from "@tryon/test-kit/repository";
import { type Installation } from "./installation.ts";
import type { ProgramContext } from "./programs/program-context.ts";
import { serveSite } from "./site.ts";

const run = promisify(execFile);

export type Bundler = "vite" | "esbuild";

const document = `<!doctype html><title>Page</title><script type="module" src="./main.js"></script>`;

export async function buildPage(
  { app }: Installation,
  bundler: Bundler,
  program: string,
): Promise<string> {
  const folder = join(app, `page-${bundler}-${program}`);
  const built = join(folder, "dist");
  const worker = "mockServiceWorker.js";
  await mkdir(join(folder, "public"), { recursive: true });
  await writeProgram(program, "page", "esm", join(folder, "main.js"));
  await writeFile(join(folder, "index.html"), document);
  await copyFile(join(app, "node_modules/msw/lib", worker), join(folder, "public", worker));
  if (bundler === "vite") {
    const vite = join(app, "node_modules/vite/bin/vite.js");
    // Without the variables of the test, which make it build for development.
    const env = { PATH: process.env["PATH"] };
    await run(node, [vite, "build", folder, "--logLevel", "error"], { cwd: app, env });
    return built;
  }
  const esbuild = join(app, "node_modules/esbuild/bin/esbuild");
  const options = ["--bundle", "--splitting", "--minify", "--format=esm", `--outdir=${built}`];
  await run(esbuild, [join(folder, "main.js"), ...options, "--log-level=error"]);
  await copyFile(join(folder, "index.html"), join(built, "index.html"));
  await copyFile(join(folder, "public", worker), join(built, worker));
  return built;
}

/** Opens a built page on a site with a proxy, and returns the result of its program. */
export async function runInPage(
  installation: Installation,
  browser: Browser,
  built: string,
  place: Omit<ProgramContext, "listen">,
  proxyKey: string,
): Promise<unknown> {
  const site = await serveSite(installation, built, { baseUrl: place.baseUrl, apiKey: proxyKey });
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    await page.goto(site.url);
    // WebKit loads a page before its module has ended.
    while (errors.length === 0 && !(await page.evaluate(() => "run" in globalThis))) {
      await setTimeout(20);
    }
    if (errors.length > 0) throw new Error(errors.join("\n"));
    return await page.evaluate(`run(${JSON.stringify(place)})`);
  } finally {
    await context.close();
    await site.close();
  }
}
