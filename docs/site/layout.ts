import { escapeHtml } from "./code-blocks.ts";
import { wayTo } from "./links.ts";
import type { Heading, RenderedPage } from "./markdown.ts";
import type { NavigationGroup, NavigationItem, SitePage } from "./site-page.ts";

/** What all pages share. */
export interface Frame {
  readonly navigation: readonly NavigationGroup[];
  /** In the order in which they are read. */
  readonly order: readonly SitePage[];
}

export const siteName = "TryOn SDK";

/** A page with everything around it. */
export function pageHtml(rendered: RenderedPage, frame: Frame): string {
  const { page, headings, html } = rendered;
  const main = `
<div class="columns">
${navigationHtml(page, frame.navigation)}
<main id="content" class="prose ${page.kind}" tabindex="-1">
${kicker(page, frame.navigation)}${html}
${neighbors(page, frame.order)}
</main>
${outline(headings)}
</div>`;
  return documentHtml(page, `${page.title} – ${siteName}`, main);
}

/** A document that asks nothing of any other host, and holds below any address. */
export function documentHtml(page: SitePage, title: string, body: string): string {
  const to = (path: string) => wayTo(page, path);
  return `<!doctype html>
<html lang="en" data-root="${to("./") === "./" ? "" : `${to(".")}/`}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(page.about)}">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${to("icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${to("style.css")}">
<link rel="alternate" type="text/markdown" href="${to(`${page.path}.md`)}">
<script src="${to("look.js")}"></script>
<script type="module" src="${to("page.js")}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="bar">
<a class="wordmark" href="${to("index.html")}"><span class="needle" aria-hidden="true"></span>${siteName}</a>
<div class="tools">
<button type="button" class="search-open" data-search aria-keyshortcuts="/"><span>Search</span><kbd>/</kbd></button>
<button type="button" class="look" data-look>Dark</button>
<button type="button" class="menu-open" data-menu aria-expanded="false" aria-controls="menu">Menu</button>
</div>
</header>
${body}
<footer class="foot"><p>MIT license. <a href="${to("llms.txt")}">llms.txt</a> and each page as <a href="${to(`${page.path}.md`)}">Markdown</a>, for other readers.</p></footer>
</body>
</html>
`;
}

/** Whether a page is this one or stands below it. */
function holds(item: NavigationItem, page: SitePage): boolean {
  return (
    item.page === page || item.below.some(({ items }) => items.some((each) => holds(each, page)))
  );
}

export function navigationHtml(page: SitePage, groups: readonly NavigationGroup[]): string {
  const chapters = groups.map(
    ({ title, items }) => `<h2>${escapeHtml(title)}</h2>\n${list(items, page)}`,
  );
  return `<nav id="menu" class="menu" aria-label="All pages">\n${chapters.join("\n")}\n</nav>`;
}

function list(items: readonly NavigationItem[], page: SitePage): string {
  const rows = items.map((item) => {
    const current = item.page === page ? ' aria-current="page"' : "";
    const link = `<a href="${wayTo(page, `${item.page.path}.html`)}"${current}>${escapeHtml(item.title)}</a>`;
    const below = holds(item, page)
      ? item.below.map(
          ({ title, items: inner }) => `<h3>${escapeHtml(title)}</h3>${list(inner, page)}`,
        )
      : [];
    return `<li>${link}${below.join("")}</li>`;
  });
  return `<ul>${rows.join("\n")}</ul>`;
}

/** Where a page belongs, above its title. */
function kicker(page: SitePage, groups: readonly NavigationGroup[]): string {
  const chapter = groups.find(({ items }) => items.some((item) => holds(item, page)));
  const item = chapter?.items.find((each) => holds(each, page));
  if (chapter === undefined || item === undefined) return "";
  const way = wayTo(page, `${item.page.path}.html`);
  const within = item.page === page ? "" : ` <a href="${way}">${escapeHtml(item.title)}</a>`;
  const kind =
    page.kind === "reference" && item.page !== page
      ? ` <span>${escapeHtml(page.about.replace(/ of .*$/u, ""))}</span>`
      : "";
  return `<p class="kicker">${escapeHtml(chapter.title)}${within}${kind}</p>\n`;
}

function outline(headings: readonly Heading[]): string {
  const inner = headings.filter(({ level }) => level === 2 || level === 3);
  if (inner.length < 2) return '<div class="outline"></div>';
  const rows = inner.map(
    ({ level, text, id }) =>
      `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${rows.join("\n")}</ul></nav>`;
}

function neighbors(page: SitePage, order: readonly SitePage[]): string {
  const index = order.indexOf(page);
  if (index === -1) return "";
  const link = (other: SitePage | undefined, rel: string, word: string) =>
    other === undefined
      ? ""
      : `<a rel="${rel}" href="${wayTo(page, `${other.path}.html`)}"><small>${word}</small>${escapeHtml(other.title)}</a>`;
  return `<nav class="neighbors" aria-label="Before and after">${link(order[index - 1], "prev", "Before")}${link(order[index + 1], "next", "Next")}</nav>`;
}
