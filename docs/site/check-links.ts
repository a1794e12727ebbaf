import type { RenderedPage } from "./markdown.ts";

/** @throws Error that names every link that leads nowhere, and where it stands. */
export function checkLinks(pages: readonly RenderedPage[]): void {
  const anchors = new Map(
    pages.map(({ page, headings }) => [page.path, new Set(headings.map(({ id }) => id))]),
  );
  const problems = pages.flatMap(({ page, links, dead }) => [
    ...dead.map((href) => `${page.source} links to ${href}, which is not there`),
    ...links
      .filter(({ path, hash }) => hash !== "" && anchors.get(path)?.has(hash) === false)
      .map(
        ({ path, hash }) => `${page.source} links to ${path}#${hash}, which has no such heading`,
      ),
  ]);
  if (problems.length > 0) throw new Error(`${problems.join(".\n")}.`);
}
