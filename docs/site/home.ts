import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { escapeHtml, type CodeBlocks } from "./code-blocks.ts";
import { documentHtml, navigationHtml, siteName, type Frame } from "./layout.ts";
import { wayTo } from "./links.ts";
import { root } from "./places.ts";
import type { SitePage } from "./site-page.ts";

export const home: SitePage = {
  source: "README.md",
  path: "index",
  title: siteName,
  about: "The TypeScript SDK of the virtual try-on service, and a reference server to test with",
  kind: "guide",
  text: "",
};

/** What a page says, where its title has not said so. */
function aboutHtml({ title, about }: SitePage): string {
  return about === title ? "" : ` <span>${escapeHtml(about)}</span>`;
}

/** The first page: what this is, how it begins, and where to go. */
export async function homeHtml(frame: Frame, codeBlocks: CodeBlocks): Promise<string> {
  const readme = await readFile(join(root, "README.md"), "utf8");
  // What is shown first is what the tests of the README run.
  const code = /^```ts client\.ts\n([^]*?)^```$/mu.exec(readme)?.[1];
  if (code === undefined)
    throw new Error("README.md shows no client.ts, which the home page takes.");
  const chapters = frame.navigation.map(({ title, items }) => {
    const rows = items.map(
      ({ page }) =>
        `<li><a href="${wayTo(home, `${page.path}.html`)}"><strong>${escapeHtml(page.title)}</strong>${aboutHtml(page)}</a></li>`,
    );
    return `<section><h2>${escapeHtml(title)}</h2><ul>${rows.join("\n")}</ul></section>`;
  });
  const first = frame.order[0];
  const start = first === undefined ? "" : wayTo(home, `${first.path}.html`);
  return documentHtml(
    home,
    `${siteName}: virtual try-on that is paid for once`,
    `<div class="home">
${navigationHtml(home, frame.navigation)}
<main id="content" tabindex="-1">
<div class="opening">
<div class="words">
<h1>Put a garment on a person, and pay for it once.</h1>
<p>A virtual try-on costs money, can take more than 90 seconds and can fail midway. This is the TypeScript SDK of the service that makes them: a client that never loses a job, and a receiver that lets in only what the service has signed. Beside them stands a server that behaves like the service, so that all of it is tested without a network, a key or a bill.</p>
${codeBlocks("npm install @tryon/client", "sh", "other")}
<p class="ways"><a class="first" href="${start}">Quickstart</a> <a href="api/index.html">Reference</a></p>
</div>
<div class="sample">
${codeBlocks(code, "ts client.ts", "other")}
<ol class="pictures" aria-label="What goes in, and what comes out">
<li><img src="pictures/person.webp" width="240" height="320" alt="A drawn person in front of a wall"><span>person</span></li>
<li><img src="pictures/garment.webp" width="240" height="320" alt="A drawn shirt"><span>garment</span></li>
<li><img src="pictures/result.webp" width="240" height="320" alt="The person with the shirt laid over, as the reference server draws it"><span>result</span></li>
</ol>
</div>
</div>
<div class="chapters">
${chapters.join("\n")}
</div>
</main>
</div>`,
  );
}
