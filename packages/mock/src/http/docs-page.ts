interface Operation {
  readonly summary?: string;
  readonly description?: string;
}

/** The part of the contract that the page shows. */
interface Contract {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const methods = ["get", "post"];

/** The contract's operations as one page of HTML that loads nothing. */
export function docsPage(contract: Contract): string {
  const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [section(method, path, item[method])] : [])),
  );
  const title = `${escape(contract.info.title)} ${escape(contract.info.version)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 2rem 1rem; }
h2 { font: 600 1rem/1.4 ui-monospace, monospace; margin: 2.5rem 0 .25rem; overflow-wrap: anywhere; }
h2 span { border: 1px solid; border-radius: .3rem; padding: .1rem .4rem; margin-right: .5rem; }
</style>
</head>
<body>
<h1>${title}</h1>
<p>The machine-readable description is at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p>
${operations.join("\n")}
</body>
</html>
`;
}

function section(method: string, path: string, item: unknown): string {
  // The contract's own test sees to it that every operation has a summary and a description.
  const { summary = "", description = "" } = item as Operation;
  const paragraphs = description
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${escape(paragraph)}</p>`)
    .join("\n");
  return `<h2><span>${method.toUpperCase()}</span>${escape(path)}</h2>\n<p><strong>${escape(summary)}</strong></p>\n${paragraphs}`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
