import { posix } from "node:path";

/** The target of a link or image in Markdown, outside of code. */
const target = /(?<before>\]\()(?<path>[^)\s]+)(?<after>[^)]*\))/g;
const code = /```[^]*?```|`[^`\n]*`/g;

/** Whether a link means a file of the repository, and not an address or a heading. */
function isFile(path: string): boolean {
  return !/^(?:[a-z][a-z0-9+.-]*:|#|\/)/i.test(path);
}

/** Changes what a page links to in the repository, and leaves addresses, headings and code as they are. */
export function mapFileLinks(markdown: string, change: (path: string) => string): string {
  const kept: string[] = [];
  const withoutCode = markdown.replace(code, (text) => `\u0000${kept.push(text) - 1}\u0000`);
  return withoutCode
    .replace(target, (link: string, before: string, path: string, after: string) =>
      isFile(path) ? `${before}${change(path)}${after}` : link,
    )
    .replace(/\0(\d+)\0/g, (_mark, index: string) => kept[Number(index)] ?? "");
}

/** The files of the repository that a page in `folder` links to, as paths from the root. */
export function linkedFiles(markdown: string, folder: string): readonly string[] {
  const found = new Set<string>();
  mapFileLinks(markdown, (path) => {
    found.add(posix.join(folder, path.replace(/[#?].*/, "")));
    return path;
  });
  return [...found];
}
