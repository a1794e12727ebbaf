import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @throws Error that names every link of a built page that leads to no file or anchor of the site. */
export function checkLinks(folder: string, base: string): void {
  const site = new URL(base, "http://site");
  const pages = new Map(
    globSync("**/*.html", { cwd: folder }).map((page) => {
      const html = readFileSync(join(folder, page), "utf8");
      const find = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, found = ""]) => found);
      return [page, { ids: find(/ id="([^"]+)"/g), links: find(/<a [^>]*?href="([^"]+)"/g) }];
    }),
  );
  const problems: string[] = [];
  for (const [page, { links }] of pages) {
    for (const link of new Set(links)) {
      const { origin, pathname, hash } = new URL(link, new URL(page, site));
      const path = pathname.slice(base.length).replace(/^$|\/$/, "$&index.html");
      const target = pages.get(decodeURIComponent(path));
      const exists = hash === "" || target?.ids.includes(decodeURIComponent(hash.slice(1)));
      if (origin === site.origin && !(target && exists)) problems.push(`${page} links to ${link}`);
    }
  }
  if (problems.length > 0) {
    throw new Error(`These links lead to no page or heading of the site:\n${problems.join("\n")}`);
  }
}
