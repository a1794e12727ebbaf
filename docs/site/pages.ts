import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { cp, glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";

import { entries } from "./reference.ts";

const root = join(import.meta.dirname, "../..");

interface Chapter {
  readonly title: string;
  readonly pages: readonly { readonly title: string; readonly source: string }[];
}

/** Chapters of docs/README.md, in its order. */
export const chapters: readonly Chapter[] = readFileSync(join(root, "docs/README.md"), "utf8")
  .split("\n## ")
  .slice(1)
  .map((chapter) => ({
    title: chapter.slice(0, chapter.indexOf("\n")),
    pages: [...chapter.matchAll(/^- \[(.+?)\]\((.+?)\)/gm)].map(([, title = "", href = ""]) => ({
      title,
      source: posix.join("docs", href),
    })),
  }));

/** URL of the repository, once package.json has it. */
const { repository }: { repository?: string } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);

const patterns = [
  "{README,CONTRIBUTING,SECURITY}.md",
  "docs/**/*.md",
  "packages/{client,webhooks,mock,contract,cli,ai-sdk}/{README,CHANGELOG}.md",
  "examples/README.md",
];
const sources = globSync(patterns, { cwd: root, exclude: ["docs/README.md", "docs/site/**"] });

/** Returns the path of a page in the site: `packages/client.md` for packages/client/README.md. */
export function pathInSite(source: string): string {
  return source
    .replace("docs/reference", "api/index")
    .replace(/^docs\//, "")
    .replace(/^packages\/([\w-]+)\/CHANGELOG/, "changelog/$1")
    .replace(/^(packages\/[\w-]+|examples)\/README/, "$1")
    .replace(/(^|\/)README/, "$1index")
    .toLowerCase();
}

/** Paths in the site, by the files of the repository that links lead to. */
const paths = new Map([
  ["docs/README.md", "index.md"],
  ...sources.map((source) => [source, pathInSite(source)] as const),
  ...entries.map(({ source, path }) => [source, `${path}/index.md`] as const),
]);

/** Copies the pages of the repository to the folder that VitePress reads, with the links of the site. */
export async function writePages(folder: string): Promise<void> {
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  for (const source of sources) {
    const text = relink(await readFile(join(root, source), "utf8"), source);
    await write(pathInSite(source), source === "README.md" ? asHome(text) : text);
  }
  const list = "docs/llms.txt";
  await write("public/llms.txt", relink(await readFile(join(root, list), "utf8"), list));
  await cp(join(root, "docs/images"), join(folder, "public/images"), { recursive: true });
  await cp(join(import.meta.dirname, "icon.svg"), join(folder, "public/icon.svg"));
}

/** Makes the opening of the home page of the README's title, without what needs a clone of the repository. */
function asHome(readme: string): string {
  const text = readme.replace(/^## Try it here\n[^]*?(?=^## )/m, "");
  return text.replace(/^# (.+)\n\n(.+)\n/, (_match, name: string, tagline: string) => {
    const actions = [
      { text: "Get started", link: "/guides/get-started" },
      { text: "Reference", link: "/api/", theme: "alt" },
    ];
    const hero = { name, text: "Virtual try-on, charged once", tagline, actions };
    return `---\nlayout: home\nhero: ${JSON.stringify(hero)}\n---\n`;
  });
}

/** Copies each page as Markdown beside its HTML, and writes all pages of docs/README.md to one file. */
export async function writeMarkdown(folder: string, site: string): Promise<void> {
  for await (const page of glob("**/*.md", { cwd: folder })) {
    await cp(join(folder, page), join(site, page));
  }
  const listed = chapters.flatMap(({ pages }) => pages.map(({ source }) => pathInSite(source)));
  const texts = await Promise.all(listed.map((page) => readFile(join(folder, page), "utf8")));
  await writeFile(join(site, "llms-full.txt"), texts.join("\n---\n\n"));
}

/** Makes the links of a page lead to pages of the site, to the files of the repository, or nowhere. */
function relink(text: string, source: string): string {
  const link = /(^ *```[^]*?^ *```$|`[^`\n]*`)|\[((?:`[^`\n]*`|[^\][`])*)\]\(([^)\s]+)\)/gm;
  return text.replaceAll(link, (whole, code?: string, label = "", href = "") => {
    if (code !== undefined || /^([a-z]+:|#)/.test(href)) return whole;
    const [path = "", hash] = href.split("#");
    const target = posix.join(posix.dirname(source), path).replace(/\/$/, "");
    const anchor = hash === undefined ? "" : `#${hash}`;
    if (target.startsWith("docs/images/")) return `[${label}](/${target.slice("docs/".length)})`;
    const page = paths.get(target) ?? paths.get(`${target}/README.md`);
    if (page !== undefined) {
      return `[${label}](${posix.relative(posix.dirname(pathInSite(source)), page)}${anchor})`;
    }
    const file = join(root, target);
    if (!existsSync(file)) throw new Error(`${source} links to ${href}, which does not exist.`);
    const kind = statSync(file).isDirectory() ? "tree" : "blob";
    return repository === undefined ? label : `[${label}](${repository}/${kind}/HEAD/${target})`;
  });
}
