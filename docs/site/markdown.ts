import { renderMermaidSVG } from "beautiful-mermaid";

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
