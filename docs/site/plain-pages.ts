import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Frame } from "./layout.ts";
import { wayTo, type Links } from "./links.ts";
import { root } from "./places.ts";
import type { SitePage } from "./site-page.ts";
import { home } from "./home.ts";

type Write = (path: string, text: string) => Promise<void>;

/** Writes each page as Markdown beside itself, all guides in one file, and the list for readers that are programs. */
export async function writePlainPages(
  pages: readonly SitePage[],
  links: Links,
  frame: Frame,
  write: Write,
): Promise<void> {
  for (const page of pages) await write(`${page.path}.md`, relinked(page, page, links));
  const readme = { ...home, text: await readFile(join(root, "README.md"), "utf8") };
  await write("index.md", relinked(readme, home, links));
  const whole = frame.order.map((page) => relinked(page, home, links).trim());
  await write("llms-full.txt", `${whole.join("\n\n---\n\n")}\n`);
  const list = {
    ...home,
    source: "docs/llms.txt",
    text: await readFile(join(root, "docs/llms.txt"), "utf8"),
  };
  await write("llms.txt", relinked(list, home, links));
}

/** The text of a page with links that hold in the site, seen from where it is shown; code is left alone. */
function relinked(page: SitePage, shownOn: SitePage, links: Links): string {
  return page.text
    .split(/(^```[^]*?^```$|`[^`\n]*`)/mu)
    .map((part, place) => (place % 2 === 1 ? part : relink(part, page, shownOn, links)))
    .join("");
}

function relink(text: string, page: SitePage, shownOn: SitePage, links: Links): string {
  return text.replaceAll(/\]\(([^)\s]+)\)/gu, (whole, href: string) => {
    const target = links.resolve(href, page);
    if (target.kind === "outside") return `](${target.href})`;
    if (target.kind !== "page") return whole;
    const hash = target.hash === "" ? "" : `#${target.hash}`;
    return `](${wayTo(shownOn, `${target.page.path}.md`)}${hash})`;
  });
}
