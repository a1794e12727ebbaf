import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const pages = ["README.md", "packages/*/README.md", "examples/*/README.md", "docs/**/*.md"];

/** A code block that is named by a path of the repository. */
const block = /^(```\w+ ([\w@.[\]-]+(?:\/[\w@.[\]-]+)+))\n[^]*?^```$/gm;

/** Yields each page with the current text of the files that it embeds. */
export function* pagesWithFiles(root: string, problems: string[]): Generator<[string, string]> {
  for (const page of globSync(pages, { cwd: root, exclude: ["**/{node_modules,out,dist}/**"] })) {
    const embed = (whole: string, fence: string, path: string): string => {
      const file = join(root, path);
      if (existsSync(file)) return `${fence}\n${readFileSync(file, "utf8")}\`\`\``;
      problems.push(`${page} embeds ${path}, which does not exist.`);
      return whole;
    };
    yield [page, readFileSync(join(root, page), "utf8").replaceAll(block, embed)];
  }
}
