import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Page {
  /** Path from docs/. */
  readonly file: string;
  readonly about: string;
}

export interface Chapter {
  readonly title: string;
  readonly pages: readonly Page[];
}

const [, ...chapters] = readFileSync(join(import.meta.dirname, "README.md"), "utf8").split("\n## ");

/** The pages that docs/README.md lists, without the READMEs of the packages. */
export const contents: readonly Chapter[] = chapters
  .map((chapter) => {
    const [title = ""] = chapter.split("\n");
    const pages = [...chapter.matchAll(/^- \[.+?\]\((?!\.\.)(.+?)\): (.+)$/gm)];
    return { title, pages: pages.map(([, file = "", about = ""]) => ({ file, about })) };
  })
  .filter(({ pages }) => pages.length > 0);
