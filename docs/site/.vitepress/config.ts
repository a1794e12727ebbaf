import { join } from "node:path";

import { defineConfig } from "vitepress";

import { groupCode, renderDiagram, sizeOf } from "../markdown.ts";
import { chapters, pathInSite } from "../pages.ts";
import { entries } from "../reference.ts";

const guides = chapters.map(({ title, pages }) => ({
  text: title,
  items: pages.map((page) => ({ text: page.title, link: `/${pathInSite(page.source)}` })),
}));
const reference = entries.map(({ name, path }) => ({ text: name, link: `/${path}/` }));

// VitePress sends these functions to the browser as text, so they use nothing from outside.
const searchIndex = {
  fields: ["title", "titles", "text", "keywords"],
  extractField: (section: Record<string, string>, field: string) =>
    field === "keywords"
      ? (/\[\[(.*?)\]\]/.exec(section["text"] ?? "")?.[1] ?? "")
      : (section[field] ?? ""),
  processTerm: (term: string) =>
    /^(a|an|and|do|does|for|from|how|i|in|is|it|my|of|on|the|to|what|why|with)$/i.test(term)
      ? null
      : term.toLowerCase(),
};

export default defineConfig({
  title: "TryOn SDK",
  description: "The TypeScript SDK of the virtual try-on service, and its reference server",
  lang: "en-US",
  srcDir: "out/pages",
  cacheDir: join(import.meta.dirname, "../node_modules/.vitepress"),
  // The home page of the theme has no landmark, and the header of the other pages moves without these classes.
  transformHtml: (html, _file, { page }) =>
    page === "index.md"
      ? html.replace('id="VPContent"', '$& role="main"')
      : html.replace('class="VPNavBar"', 'class="VPNavBar has-sidebar top"'),
  transformHead: ({ siteData }) => [["link", { rel: "icon", href: `${siteData.base}icon.svg` }]],
  markdown: {
    // The anchors of the repository, so that one link works in both.
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
          .trim()
          .replaceAll(" ", "-"),
    },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      const { fence, image } = md.renderer.rules;
      md.renderer.rules.image = (...args) => {
        const [tokens, index] = args;
        const size = Object.entries(sizeOf(String(tokens[index]?.attrGet("src"))));
        for (const [name, value] of size) tokens[index]?.attrSet(name, value);
        return image?.(...args) ?? "";
      };
      md.renderer.rules.fence = (...args) => {
        const [tokens, index] = args;
        const { info = "", content = "" } = tokens[index] ?? {};
        return info === "mermaid" ? renderDiagram(content) : (fence?.(...args) ?? "");
      };
    },
  },
  vite: {
    build: { chunkSizeWarningLimit: 5_000 },
    plugins: [
      {
        name: "code-groups",
        enforce: "pre",
        transform: (text, id) => (id.endsWith(".md") ? groupCode(text) : undefined),
      },
    ],
  },
  themeConfig: {
    logo: "/icon.svg",
    nav: [
      { text: "Guides", link: "/guides/get-started", activeMatch: "/guides/" },
      { text: "Reference", link: "/api/", activeMatch: "/api/" },
      { text: "Benchmarks", link: "/benchmarks" },
    ],
    sidebar: { "/api/": [{ text: "Reference", link: "/api/", items: reference }], "/": guides },
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        // Keywords of a page are a comment in its Markdown. Of the reference, only names are searched.
        _render(text, env, md) {
          const html = md.render(text, env);
          const [, keywords = ""] = /<!-- keywords: (.+?) -->/.exec(text) ?? [];
          if (!env.relativePath.startsWith("api/"))
            return html.replace("</h1>", `</h1> [[${keywords}]] `);
          return (html.match(/<h(\d).*?<\/h\1>/gs) ?? []).join(" - ");
        },
        miniSearch: {
          options: searchIndex,
          searchOptions: {
            boost: { title: 3, keywords: 12, titles: 1, text: 1 },
            fuzzy: 0.15,
            prefix: true,
            boostDocument: (path: string) =>
              /\/(api|decisions)\//.test(path) ? 0.5 : /\/guides\//.test(path) ? 2 : 1,
          },
        },
      },
    },
  },
});
