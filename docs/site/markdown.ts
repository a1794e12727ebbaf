import { existsSync } from "node:fs";
import { join, posix } from "node:path";

import MarkdownIt, { type Token } from "markdown-it";

import { escapeHtml, type CodeBlocks } from "./code-blocks.ts";
import { wayTo, type Links } from "./links.ts";
import { root } from "./places.ts";
import type { SitePage } from "./site-page.ts";

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

/** What stands under one heading, for the search. */
interface Section {
  readonly heading: Heading;
  readonly text: string;
}

/** A link to a page of the site. */
interface InnerLink {
  readonly path: string;
  readonly hash: string;
}

export interface RenderedPage {
  readonly page: SitePage;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
  readonly links: readonly InnerLink[];
  /** Links that lead nowhere, as they are written. */
  readonly dead: readonly string[];
}

export interface Markdown {
  render(page: SitePage): RenderedPage;
}

export function createMarkdown(codeBlocks: CodeBlocks, links: Links): Markdown {
  const parser = new MarkdownIt({ html: true });
  const rules = parser.renderer.rules;
  rules["fence"] = (tokens, index) => {
    const token = tokens[index];
    const before = tokens[index - 1];
    const isNamed = before?.type === "fence" && before.info.trim().includes(" ");
    return codeBlocks(token?.content ?? "", token?.info ?? "", isNamed ? "named" : "other");
  };
  rules["table_open"] = () => '<div class="table" tabindex="0"><table>\n';
  rules["table_close"] = () => "</table></div>\n";
  return {
    render(page) {
      const tokens = parser.parse(page.text, {});
      const found: Finds = { headings: [], sections: [], links: [], dead: [] };
      for (const [index, token] of tokens.entries()) {
        if (token.type !== "inline") {
          if (token.type === "fence") add(found, token.content);
          continue;
        }
        const before = tokens[index - 1];
        const text = plain(token);
        if (before?.type === "heading_open") {
          const heading = headingOf(before, text, found.headings);
          before.attrSet("id", heading.id);
          if (heading.level > 1) token.children?.push(...anchorTo(heading));
          found.headings.push(heading);
          found.sections.push({ heading, text: "" });
        } else add(found, text);
        for (const child of token.children ?? []) relink(child, token, page, links, found);
      }
      return { page, html: parser.renderer.render(tokens, parser.options, {}), ...found };
    },
  };
}

interface Finds {
  readonly headings: Heading[];
  readonly sections: Section[];
  readonly links: InnerLink[];
  readonly dead: string[];
}

/** Adds to what stands under the heading that was seen last. */
function add(found: Finds, text: string): void {
  const last = found.sections.pop();
  if (last !== undefined) found.sections.push({ ...last, text: `${last.text} ${text}`.trim() });
}

function plain(token: Token): string {
  return (token.children ?? [])
    .map((child) =>
      child.type === "softbreak" || child.type === "html_inline" ? " " : child.content,
    )
    .join("");
}

/** Anchors are those that the repository shows, so that one link holds in both. */
function headingOf(token: Token, text: string, before: readonly Heading[]): Heading {
  const name = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
    .trim()
    .replaceAll(" ", "-");
  const same = before.filter(({ id }) => id === name || id.replace(/-\d+$/u, "") === name).length;
  return { level: Number(token.tag.slice(1)), text, id: same === 0 ? name : `${name}-${same}` };
}

function anchorTo(heading: Heading): Token[] {
  const [token] = new MarkdownIt({ html: true }).parseInline(
    `<a class="anchor" href="#${heading.id}" aria-label="Link to ${escapeHtml(heading.text)}"></a>`,
    {},
  );
  return token?.children ?? [];
}

function relink(token: Token, parent: Token, page: SitePage, links: Links, found: Finds): void {
  if (token.type === "image") {
    const src = String(token.attrGet("src"));
    const file = posix.join(posix.dirname(page.source), src);
    // The build copies this folder.
    const isCopied = file.startsWith("docs/images/") && existsSync(join(root, file));
    if (isCopied) token.attrSet("src", wayTo(page, file.slice("docs/".length)));
    else found.dead.push(src);
    return;
  }
  if (token.type !== "link_open") return;
  const href = String(token.attrGet("href"));
  const target = links.resolve(href, page);
  if (target.kind === "page") {
    found.links.push({ path: target.page.path, hash: target.hash });
    const hash = target.hash === "" ? "" : `#${target.hash}`;
    const way = target.page === page ? "" : wayTo(page, `${target.page.path}.html`);
    token.attrSet("href", way + hash);
  } else if (target.kind === "outside") {
    token.attrSet("href", target.href);
    token.attrSet("rel", "external");
  } else if (target.kind === "file") asPath(token, parent, target.path);
  else found.dead.push(href);
}

/** Where the repository cannot be looked at, its files are named and not linked to. */
function asPath(open: Token, parent: Token, path: string): void {
  const children = parent.children ?? [];
  const close = children.slice(children.indexOf(open)).find(({ type }) => type === "link_close");
  open.tag = "span";
  open.attrs = [
    ["class", "path"],
    ["title", `${path} in the repository`],
  ];
  if (close !== undefined) close.tag = "span";
}
