import { copyFile, cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { build } from "esbuild";

import { checkLinks } from "./check-links.ts";
import { createCodeBlocks } from "./code-blocks.ts";
import { home, homeHtml } from "./home.ts";
import { makeHomePictures } from "./home-pictures.ts";
import { pageHtml, type Frame } from "./layout.ts";
import { createLinks, repositoryAddress } from "./links.ts";
import { createMarkdown } from "./markdown.ts";
import { readPages } from "./pages.ts";
import { writePlainPages } from "./plain-pages.ts";
import { makeReference } from "./reference.ts";
import { makeSearchIndex } from "./search-index.ts";

/**
 * Builds the whole site into a folder, which is emptied first.
 *
 * @returns how many pages there are.
 * @throws Error for a link or an anchor that leads nowhere, and for a warning of typedoc.
 */
export async function buildSite(site: string): Promise<number> {
  const { pages: own, navigation } = await readPages();
  const reference = await makeReference();
  const pages = [...own, ...reference.pages];
  const links = createLinks([home, ...pages], await repositoryAddress());
  const codeBlocks = await createCodeBlocks();
  const markdown = createMarkdown(codeBlocks, links);
  const rendered = pages.map((page) => markdown.render(page));
  checkLinks(rendered);

  const frame: Frame = {
    navigation: [...navigation, { title: "Reference", items: reference.navigation }],
    order: navigation.flatMap(({ items }) => items.map(({ page }) => page)),
  };
  await rm(site, { recursive: true, force: true });
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(site, path)), { recursive: true });
    await writeFile(join(site, path), text);
  };
  for (const page of rendered) await write(`${page.page.path}.html`, pageHtml(page, frame));
  await write("index.html", await homeHtml(frame, codeBlocks));
  await write("search.json", makeSearchIndex(rendered));
  await write("style.css", await style());
  await writePlainPages(pages, links, frame, write);
  await copyFile(join(import.meta.dirname, "theme/icon.svg"), join(site, "icon.svg"));
  await cp(join(import.meta.dirname, "../images"), join(site, "images"), { recursive: true });
  await makeHomePictures(site);
  await bundleScripts(site);
  return rendered.length + 1;
}

async function style(): Promise<string> {
  const folder = join(import.meta.dirname, "theme");
  const files: string[] = [];
  for await (const file of glob("*.css", { cwd: folder })) files.push(file);
  const parts = await Promise.all(
    files.toSorted().map((file) => readFile(join(folder, file), "utf8")),
  );
  return parts.join("\n");
}

async function bundleScripts(site: string): Promise<void> {
  const shared = { bundle: true, minify: true, target: "es2022", outdir: site } as const;
  const folder = join(import.meta.dirname, "page");
  await build({ ...shared, entryPoints: [join(folder, "look.ts")], format: "iife" });
  await build({
    ...shared,
    entryPoints: { page: join(folder, "main.ts") },
    format: "esm",
    splitting: true,
  });
}
