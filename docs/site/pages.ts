import { glob, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

import { contents } from "../contents.ts";
import { packageNames, root } from "./places.ts";
import { titleOf, type NavigationGroup, type PageKind, type SitePage } from "./site-page.ts";

export interface Pages {
  readonly pages: readonly SitePage[];
  readonly navigation: readonly NavigationGroup[];
}

const decisions = "docs/decisions/";

/** The pages of the repository: those of the contents, each decision, and what each package says of itself. */
export async function readPages(): Promise<Pages> {
  const reasons = await readDecisions();
  const chapters: NavigationGroup[] = [];
  for (const { title, pages } of contents) {
    const items = await Promise.all(
      pages.map(async ({ file, about }) => {
        const source = `docs/${file}`;
        const kind = file.startsWith("guides/") ? "guide" : "facts";
        const page = await readPage(source, file.replace(/README\.md$/u, "index.md"), kind, about);
        const below = source.startsWith(decisions) ? [{ title: "Decisions", items: reasons }] : [];
        return { page, title: page.title, below };
      }),
    );
    chapters.push({ title, items });
  }
  const packages = await Promise.all(
    packageNames.map(async (name) => {
      const about = `What @tryon/${name} does, option by option`;
      const page = await readPage(
        `packages/${name}/README.md`,
        `packages/${name}.md`,
        "package",
        about,
      );
      return { page, title: page.title, below: [] };
    }),
  );
  const navigation = [...chapters, { title: "Packages", items: packages }];
  const pages = navigation.flatMap(({ items }) => items.map(({ page }) => page));
  return { pages: [...pages, ...reasons.map(({ page }) => page)], navigation };
}

async function readDecisions() {
  const files: string[] = [];
  for await (const file of glob(`${decisions}*.md`, { cwd: root })) {
    if (basename(file) !== "README.md") files.push(file);
  }
  return Promise.all(
    files.toSorted().map(async (file) => {
      const path = `decisions/${basename(file)}`;
      const page = await readPage(file, path, "decision", "A decision, and why");
      return { page, title: page.title, below: [] };
    }),
  );
}

async function readPage(
  source: string,
  path: string,
  kind: PageKind,
  about: string,
): Promise<SitePage> {
  const text = await readFile(join(root, source), "utf8");
  const title = titleOf(text, source);
  return { source, path: path.replace(/\.md$/u, ""), title, about, kind, text };
}
