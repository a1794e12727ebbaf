import { existsSync, statSync } from "node:fs";
import { posix } from "node:path";
import { join } from "node:path";

import { readManifest, root } from "./places.ts";
import type { SitePage } from "./site-page.ts";

/** What a link of a page becomes in the site. */
type LinkTarget =
  | { readonly kind: "page"; readonly page: SitePage; readonly hash: string }
  | { readonly kind: "outside"; readonly href: string }
  /** A file of a repository whose address nobody has told. */
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "dead" };

export interface Links {
  resolve(href: string, from: SitePage): LinkTarget;
}

/** @param repository where the files can be looked at: `https://…`, without a slash at the end. */
export function createLinks(pages: readonly SitePage[], repository: string | undefined): Links {
  const bySource = new Map(pages.map((page) => [page.source, page]));
  return {
    resolve(href, from) {
      if (/^[a-z][a-z+.-]*:/iu.test(href)) return { kind: "outside", href };
      const [path = "", hash = ""] = href.split("#", 2);
      if (path === "") return { kind: "page", page: from, hash };
      const place = posix.join(posix.dirname(from.source), decodeURI(path)).replace(/\/$/u, "");
      const page = bySource.get(place) ?? bySource.get(posix.join(place, "README.md"));
      if (page !== undefined) return { kind: "page", page, hash };
      const file = join(root, place);
      if (place.startsWith("..") || !existsSync(file)) return { kind: "dead" };
      if (repository === undefined) return { kind: "file", path: place };
      const view = statSync(file).isDirectory() ? "tree" : "blob";
      return { kind: "outside", href: `${repository}/${view}/HEAD/${place}` };
    },
  };
}

/** Where the repository can be looked at: `TRYON_REPOSITORY`, or what package.json says. */
export async function repositoryAddress(): Promise<string | undefined> {
  const { repository } = await readManifest(root);
  const told = typeof repository === "string" ? repository : repository?.url;
  const address = (process.env["TRYON_REPOSITORY"] ?? told)?.replace(/^git\+/u, "");
  return address?.startsWith("https://") ? address.replace(/(\.git)?\/*$/u, "") : undefined;
}

/** The way from one page to another, which holds below any address. */
export function wayTo(from: SitePage, path: string): string {
  const way = posix.relative(posix.dirname(from.path), path);
  return way === "" ? "./" : way;
}
