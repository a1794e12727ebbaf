import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { Chapter } from "../docs/contents.ts";
import { Contradiction } from "./fidelity.ts";

interface Line {
  readonly title: string;
  /** From docs/. */
  readonly file: string;
  readonly about: string;
}

interface Part {
  readonly title: string;
  readonly lines: readonly Line[];
}

const packages: readonly Omit<Line, "title">[] = [
  { file: "../packages/client/README.md", about: "Makes try-ons, from servers and pages" },
  { file: "../packages/webhooks/README.md", about: "Receives webhooks" },
  { file: "../packages/mock/README.md", about: "The reference server, to test against" },
  { file: "../packages/contract/README.md", about: "The behaviour suite for any deployment" },
];

/** `docs/README.md`: what there is to read, for readers of the repository. */
export async function readersPage(root: string): Promise<string> {
  const parts = await readParts(root);
  const chapters = parts.map(({ title, lines }) => {
    const rows = lines.map(({ title: page, file, about }) => {
      const said = about === page ? "" : `: ${about}${/[.?]$/u.test(about) ? "" : "."}`;
      return `- [${page}](${file})${said}\n`;
    });
    return `\n## ${title}\n\n${rows.join("")}`;
  });
  return [
    "<!-- Made from docs/contents.ts by `npm run generate`. Changes made here are lost. -->\n\n",
    "# What there is to read\n\n",
    "`npm run docs` makes a site of it, with a search and the reference of all that the packages export.\n",
    ...chapters,
  ].join("");
}

/** `docs/llms.txt`, in the form of llmstxt.org: the same list for readers that are programs. */
export async function programsPage(root: string): Promise<string> {
  const parts = await readParts(root);
  const chapters = parts.map(({ title, lines }) => {
    const rows = lines.map(({ title: page, file, about }) => `- [${page}](${file}): ${about}\n`);
    return `\n## ${title}\n\n${rows.join("")}`;
  });
  return [
    "# TryOn SDK\n\n",
    "> The TypeScript SDK of the virtual try-on service: `@tryon/client` makes try-ons and pays for each once, ",
    "`@tryon/webhooks` receives webhooks, `@tryon/mock` is a reference server to test against, ",
    "`@tryon/contract` tests a deployment.\n\n",
    "A try-on takes a photo of a person and one to three pictures of garments, costs credits, takes 10 to 90 seconds ",
    "and gives one PNG. There is no built-in address and no built-in key: `TRYON_BASE_URL` and `TRYON_API_KEY` say which. ",
    "To write and to test code without either, use `@tryon/mock`.\n",
    ...chapters,
  ].join("");
}

async function readParts(root: string): Promise<readonly Part[]> {
  const file = pathToFileURL(join(root, "docs/contents.ts")).href;
  // The list of the repository whose files are made, which in tests is a copy.
  const { contents } = (await import(file)) as { contents: readonly Chapter[] };
  const chapters = [
    ...contents.map(({ title, pages }) => ({ title, pages })),
    { title: "Packages", pages: packages },
  ];
  return Promise.all(
    chapters.map(async ({ title, pages }) => ({
      title,
      lines: await Promise.all(
        pages.map(async (page) => ({ ...page, title: await titleOf(root, page.file) })),
      ),
    })),
  );
}

async function titleOf(root: string, file: string): Promise<string> {
  const path = join(root, "docs", file);
  if (!existsSync(path))
    throw new Contradiction(`docs/contents.ts names ${file}, which is not there.`);
  const title = /^# (.+)$/mu.exec(await readFile(path, "utf8"))?.[1];
  if (title === undefined) throw new Contradiction(`docs/${file} has no title: a line "# …".`);
  return title.replaceAll("`", "");
}
