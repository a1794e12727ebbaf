import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

/** A block that is called by a path of the repository, and maybe a region in it, shows what stands there. */
const shown = /^(```\w+ ([\w@.[\]-]+(?:\/[\w@.[\]-]+)+)(?:#([\w-]+))?)\n[^]*?^```$/gm;
const marker = /^\s*(?:\/\/|#|<!--) #(?:region|endregion)\b.*\n/gm;

/** What is installed, built or generated is no page. */
const isMade = (path: string): boolean => /node_modules|(^|\/)(out|dist|\.[^/]+)(\/|$)/.test(path);

const pages = ["README.md", "packages/*/README.md", "examples/*/README.md", "docs/**/*.md"];

/** The pages that show files of the repository, from its root. */
export async function pagesWithFiles(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const page of glob(pages, { cwd: root, exclude: isMade })) {
    if ((await readFile(join(root, page), "utf8")).search(shown) !== -1) found.push(page);
  }
  return found.toSorted();
}

/**
 * A page with every file in it as the file stands now.
 *
 * @throws an Error that names the page, for a file or a region that is not there.
 */
export async function withFiles(root: string, page: string): Promise<string> {
  const text = await readFile(join(root, page), "utf8");
  let filled = "";
  let end = 0;
  for (const match of text.matchAll(shown)) {
    const [whole, fence = "", path = "", region] = match;
    const code = part(await fileOf(root, page, path), region);
    if (code === undefined) throw new Error(`${page}: ${path} has no region ${region ?? ""}.`);
    filled += `${text.slice(end, match.index)}${fence}\n${code}\`\`\``;
    end = match.index + whole.length;
  }
  return filled + text.slice(end);
}

async function fileOf(root: string, page: string, path: string): Promise<string> {
  try {
    return await readFile(join(root, path), "utf8");
  } catch (error) {
    throw new Error(`${page} shows ${path}, which is not there.`, { cause: error });
  }
}

/** A file without the lines that mark its regions, or one of them, as far to the left as it goes. */
function part(text: string, region: string | undefined): string | undefined {
  if (region === undefined) return text.replaceAll(marker, "");
  const begin = new RegExp(String.raw`^\s*(?://|#|<!--) #region ${region}\b.*\n`, "m").exec(text);
  if (begin === null) return undefined;
  const rest = text.slice(begin.index + begin[0].length);
  const end = /^\s*(?:\/\/|#|<!--) #endregion\b/m.exec(rest);
  const lines = rest.slice(0, end?.index).replaceAll(marker, "").split("\n");
  const margins = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...margins))).join("\n");
}
