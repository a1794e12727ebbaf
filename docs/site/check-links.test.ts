import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { checkLinks } from "./check-links.ts";

/** Checks a site with a guide that has the heading `retry`, and a page below it with this link. */
async function check(href: string, base = "/"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-links-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "guides"));
  await writeFile(join(folder, "index.html"), "<h1>Home</h1>");
  await writeFile(join(folder, "guides/errors.html"), '<h2 id="retry">Retry</h2>');
  await writeFile(join(folder, "guides/other.html"), `<a class="x" href="${href}">link</a>`);
  try {
    checkLinks(folder, base);
    return "";
  } catch (error) {
    return String(error);
  }
}

it.each([
  ["errors.html", "/"],
  ["errors.html#retry", "/"],
  ["/guides/errors.html#retry", "/"],
  ["/docs/guides/errors.html", "/docs/"],
  ["../", "/docs/"],
  ["/", "/"],
  ["https://shop.example/guides/none.html", "/"],
  ["mailto:security@shop.example", "/"],
])("accepts a link to %s with the base %s", async (href, base) => {
  expect(await check(href, base)).toBe("");
});

it.each([
  ["none.html", "/"],
  ["errors.html#none", "/"],
  ["#none", "/"],
  ["/guides/errors.html", "/docs/"],
  ["../errors.html", "/"],
])("names the page with a link to %s with the base %s", async (href, base) => {
  expect(await check(href, base)).toContain(`guides/other.html links to ${href}`);
});
