import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const pages = ["README.md", "packages/*/README.md", "examples/*/README.md", "docs/**/*.md"];

/** A code block that is named by a path of the repository. */
const block = /^(```\w+ ([\w@$.[\]-]+(?:\/[\w@$.[\]-]+)+))\n[^]*?^```$/gm;

/** Yields each page with the files that it embeds, and docs/llms.txt with the pages that docs/README.md lists. */
export function* docsPages(root: string, problems: string[]): Generator<[string, string]> {
  const read = (path: string): string | undefined =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
  for (const page of globSync(pages, { cwd: root, exclude: ["**/{node_modules,out,dist}/**"] })) {
    const embed = (whole: string, fence: string, path: string): string => {
      const text = read(path);
      if (text === undefined) problems.push(`${page} embeds ${path}, which does not exist.`);
      return text === undefined ? whole : `${fence}\n${text}\`\`\``;
    };
    yield [page, read(page)?.replaceAll(block, embed) ?? ""];
  }
  const readme = read("docs/README.md") ?? "";
  for (const [, title, file = ""] of readme.matchAll(/^- \[(.+?)\]\((.+?)\)/gm)) {
    const [, actual = "missing"] = /^# (.+)$/m.exec(read(join("docs", file)) ?? "") ?? [];
    if (actual.replaceAll("`", "") !== title)
      problems.push(`docs/README.md lists ${file} as "${title}". Its title is ${actual}.`);
  }
  // The format of llmstxt.org: the file's own introduction, followed by links.
  const links = readme.slice(readme.indexOf("\n## "));
  yield ["docs/llms.txt", read("docs/llms.txt")?.replace(/\n## [^]*|$/, () => links) ?? links];
}
