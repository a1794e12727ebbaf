import { readFileSync } from "node:fs";
import { join } from "node:path";

import MarkdownIt from "markdown-it";

interface Operation {
  readonly summary: string;
  readonly description: string;
}

interface Contract {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

// Without the option `html`, tags in Markdown stay text.
const markdown = new MarkdownIt();
const { escapeHtml } = markdown.utils;

/** Renders the page `/api/docs` of the reference server into a module: one HTML string without external resources. */
export function apiDocsPage(root: string): string {
  // The tests of spec/ validate the document.
  const contract = JSON.parse(readFileSync(join(root, "spec/openapi.json"), "utf8")) as Contract;
  return [
    "// Generated from spec/openapi.json by `npm run generate`. Do not edit.\n\n",
    `export const apiDocsPage =\n  ${JSON.stringify(renderPage(contract))};\n`,
  ].join("");
}

export function renderPage({ info, paths }: Contract): string {
  const sections = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => renderOperation(method, path, operation)),
  );
  const title = escapeHtml(`${info.title} ${info.version}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 2rem 1rem; overflow-wrap: anywhere; }
h1 { line-height: 1.25; }
h2 { font: 600 1rem/1.4 ui-monospace, monospace; margin: 2.5rem 0 .25rem; }
h2 span { border: 1px solid; border-radius: .3rem; padding: .1rem .4rem; margin-right: .5rem; }
code { font: .9em ui-monospace, monospace; padding: .1em .3em; border-radius: .25rem; background: color-mix(in srgb, currentcolor 10%, transparent); }
</style>
</head>
<body>
<h1>${title}</h1>
${markdown.render(info.description)}<p>The machine-readable description is at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p>
${sections.join("")}</body>
</html>
`;
}

function renderOperation(method: string, path: string, operation: Operation): string {
  const heading = `<span>${escapeHtml(method.toUpperCase())}</span>${escapeHtml(path)}`;
  const summary = markdown.renderInline(operation.summary);
  return `<h2>${heading}</h2>\n<p><strong>${summary}</strong></p>\n${markdown.render(operation.description)}`;
}
