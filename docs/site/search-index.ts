import MiniSearch from "minisearch";

import type { RenderedPage } from "./markdown.ts";
import { searchOptions, type SearchEntry } from "./search-entry.ts";
import type { PageKind } from "./site-page.ts";

/** A long list of facts is found by its words, but is seldom what was meant. */
const longest = 1_500;

/** Everything that can be found, as the page loads it: one entry for each heading. */
export function makeSearchIndex(pages: readonly RenderedPage[]): string {
  const entries = pages.flatMap(({ page, sections }) =>
    sections
      .filter(
        ({ heading }) => page.kind !== "reference" || heading.level === 1 || isMember(heading.text),
      )
      .map(({ heading, text }): SearchEntry => {
        const isPage = heading.level === 1;
        return {
          id: `${page.path}.html${isPage ? "" : `#${heading.id}`}`,
          title: heading.text,
          page: isPage ? "" : page.title,
          text: text.slice(0, longest),
          kind: page.kind,
          weight: weights[page.kind],
        };
      }),
  );
  const index = new MiniSearch<SearchEntry>(searchOptions);
  index.addAll(entries);
  return JSON.stringify(index);
}

const weights: Readonly<Record<PageKind, number>> = {
  guide: 2,
  package: 1.4,
  reference: 1,
  facts: 0.8,
  decision: 0.7,
};

/** Sections that every page of the reference has are found through the page. */
function isMember(heading: string): boolean {
  const common =
    "Throws|Example|Examples|Returns|Parameters|Type Parameters|Type Parameter|Properties|Methods|Constructors|Constructor|Accessors|Default|Default Value|Get Signature|Set Signature|Extends|Extended by|Type Declaration|Union Members|Overrides|Inherited from|Call Signature|Indexable|Implements|Type declaration|See|Remarks|Deprecated|Index Signature";
  return !new RegExp(`^(${common})$`, "u").test(heading);
}
