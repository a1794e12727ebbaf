import { describe, expect, it } from "vitest";

import { checkLinks } from "./check-links.ts";
import { createLinks, wayTo } from "./links.ts";
import type { RenderedPage } from "./markdown.ts";
import type { SitePage } from "./site-page.ts";

const page = (source: string, path: string): SitePage => ({
  source,
  path,
  title: "",
  about: "",
  kind: "guide",
  text: "",
});
const guide = page("docs/guides/errors.md", "guides/errors");
const readme = page("packages/client/README.md", "packages/client");
const decisions = page("docs/decisions/README.md", "decisions/index");
const pages = [guide, readme, decisions];

function rendered(parts: Partial<RenderedPage> = {}): RenderedPage {
  return { page: guide, html: "", headings: [], sections: [], links: [], dead: [], ...parts };
}

describe("a link of a page", () => {
  const links = createLinks(pages, undefined);

  it.each([
    ["../../packages/client/README.md#errors", { kind: "page", page: readme, hash: "errors" }],
    ["../../packages/client", { kind: "page", page: readme, hash: "" }],
    ["../decisions/", { kind: "page", page: decisions, hash: "" }],
    ["#codes", { kind: "page", page: guide, hash: "codes" }],
    ["https://tryon.example/", { kind: "outside", href: "https://tryon.example/" }],
    ["../../examples/queue", { kind: "file", path: "examples/queue" }],
    ["../nowhere.md", { kind: "dead" }],
    ["../../../../../etc/hosts", { kind: "dead" }],
  ])("leads from a guide, as %s, to what it names", (href, target) => {
    expect(links.resolve(href, guide)).toEqual(target);
  });

  it("leads to the repository for what is no page, where its address is known", () => {
    const known = createLinks(pages, "https://code.example/tryon");
    expect(known.resolve("../../examples/queue", guide)).toEqual({
      kind: "outside",
      href: "https://code.example/tryon/tree/HEAD/examples/queue",
    });
    expect(known.resolve("../../LICENSE", guide)).toEqual({
      kind: "outside",
      href: "https://code.example/tryon/blob/HEAD/LICENSE",
    });
  });

  it("is relative, so that it holds below any address", () => {
    expect(wayTo(guide, "packages/client.html")).toBe("../packages/client.html");
    expect(wayTo(guide, "guides/errors.html")).toBe("errors.html");
  });
});

describe("the check of links", () => {
  const heading = { level: 2, text: "Codes", id: "codes" };

  it("is content with what leads somewhere", () => {
    const link = { path: guide.path, hash: "codes" };
    expect(() => checkLinks([rendered({ headings: [heading], links: [link] })])).not.toThrow();
  });

  it("names what leads nowhere, and where it stands", () => {
    const link = { path: guide.path, hash: "code" };
    expect(() => checkLinks([rendered({ headings: [heading], links: [link] })])).toThrow(
      "docs/guides/errors.md links to guides/errors#code, which has no such heading.",
    );
    expect(() => checkLinks([rendered({ dead: ["../nowhere.md"] })])).toThrow(
      "docs/guides/errors.md links to ../nowhere.md, which is not there.",
    );
  });
});
