import MiniSearch from "minisearch";

import type { Heading, RenderedPage } from "./markdown.ts";
import { searchOptions, type SearchEntry } from "./search-entry.ts";
import type { PageKind, SitePage } from "./site-page.ts";

/** A long list of facts is found by its words, but is seldom what was meant. */
const longest = 1_500;

/** Everything that can be found, as the page loads it: one entry for each heading. */
export function makeSearchIndex(pages: readonly RenderedPage[]): string {
  const entries = new Map<string, SearchEntry>();
  for (const { page, sections } of pages) {
    for (const { heading, text } of sections) {
      const isPage = heading.level === 1;
      if (page.kind === "reference" && !isPage && !isMember(heading)) continue;
      const entry: SearchEntry = {
        id: `${page.path}.html${isPage ? "" : `#${heading.id}`}`,
        title: heading.text,
        page: isPage ? "" : page.title,
        text: text.slice(0, longest),
        kind: page.kind,
        weight: weightOf(page, isPage),
      };
      // What a class has inherited is found where it is said first.
      const same = page.kind === "reference" && !isPage ? `${entry.title} ${entry.text}` : entry.id;
      if (!entries.has(same)) entries.set(same, entry);
    }
  }
  const index = new MiniSearch<SearchEntry>(searchOptions);
  index.addAll([...entries.values()]);
  return JSON.stringify(index);
}

const weights: Readonly<Record<PageKind, number>> = {
  guide: 3,
  package: 1.6,
  reference: 1.5,
  facts: 0.8,
  decision: 0.7,
};

/** Guides come first, and of what is called alike that of the package before that of one of its parts. */
function weightOf(page: SitePage, isPage: boolean): number {
  if (page.kind !== "reference") return weights[page.kind];
  // `api/webhooks/functions/createReceiver` is not deep.
  const depth = Math.max(1, page.path.split("/").length - 3);
  return (weights.reference / depth) * (isPage ? 1 : 0.4);
}

const common = new Set(
  `Accessors, Call Signature, Classes, Constructor, Constructors, Default, Default Value,
  Deprecated, Description, Example, Examples, Extended by, Extends, Functions,
  Get Signature, Implements, Index Signature, Indexable, Interfaces, Methods, Modules,
  Parameters, Properties, Remarks, Returns, See, Set Signature, Throws, Type Aliases,
  Type Declaration, Type Parameter, Type Parameters, Union Members, Variables`.split(/,\s+/u),
);

/** Headings that every page of the reference has are found through the page. */
function isMember(heading: Heading): boolean {
  return !common.has(heading.text);
}
