import { readFileSync } from "node:fs";
import { join } from "node:path";

import { renderMermaidSVG } from "beautiful-mermaid";
import { imageSize } from "image-size";

/** Makes tabs of adjacent named code blocks, and names the others. */
export function groupCode(text: string): string {
  const group = /(?:^```\w+ [^\s`]+.*\n[^]*?^```$\n*)+/gm;
  const opening = /^```(\w+) ([^\s`#]+).*$/gm;
  return text.replaceAll(
    group,
    (fences) => `::: code-group\n\n${fences.replaceAll(opening, "```$1 [$2]").trim()}\n\n:::\n\n`,
  );
}

/** Draws a Mermaid diagram as an SVG in the colors of the theme, with `accDescr` as its text alternative. */
export function renderDiagram(text: string): string {
  const [, description = ""] = /^ *accDescr: *(.+)$/m.exec(text) ?? [];
  if (description === "") throw new Error(`A diagram needs an accDescr line:\n${text}`);
  const svg = renderMermaidSVG(text.replaceAll(/^ *acc(Title|Descr):.*\n/gm, ""));
  const [, open = "", rest = ""] = /^<svg([^>]*)>\s*<style>[^]*?<\/style>([^]*)/.exec(svg) ?? [];
  const size = open.replace(/ style="[^"]*"/, "");
  const label = description.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<figure class="diagram" tabindex="0"><svg${size} role="img" aria-label="${label}">${rest}</figure>\n`;
}

/** Returns the size of an image of docs/images, so that the page reserves its place before it loads. */
export function sizeOf(src: string): { width: string; height: string } {
  const { width, height } = imageSize(readFileSync(join(import.meta.dirname, "..", src)));
  return { width: String(width), height: String(height) };
}
