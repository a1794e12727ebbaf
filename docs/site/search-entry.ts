import type { Options } from "minisearch";

import type { PageKind } from "./site-page.ts";
import { wordsOf } from "./words.ts";

/** What can be found. */
export interface SearchEntry {
  /** Where it stands, from the root of the site. */
  readonly id: string;
  readonly title: string;
  /** The title of its page, where it is a part of one. */
  readonly page: string;
  readonly text: string;
  readonly kind: PageKind;
  readonly weight: number;
}

/** The same for the index that is made and for the page that reads it. */
export const searchOptions: Options<SearchEntry> = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "text", "kind", "weight"],
  tokenize: wordsOf,
  searchOptions: {
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    boost: { title: 3, page: 1.5 },
    weights: { prefix: 0.25, fuzzy: 0.2 },
    boostDocument: (_id, _term, stored) => Number(stored?.["weight"] ?? 1),
  },
};
