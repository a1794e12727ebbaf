import type MiniSearch from "minisearch";
import type { SearchResult } from "minisearch";

import type { SearchEntry } from "../search-entry.ts";
import type { PageKind } from "../site-page.ts";
import { wholeWordsOf } from "../words.ts";

/** What is shown of one thing that was found. */
export interface Found {
  readonly id: string;
  readonly title: string;
  readonly where: string;
  readonly excerpt: readonly { readonly text: string; readonly isHit: boolean }[];
}

const most = 20;
const before = 20;
const excerptLength = 140;

const kinds: Readonly<Record<PageKind, string>> = {
  guide: "Guide",
  package: "Package",
  facts: "Facts",
  decision: "Decision",
  reference: "Reference",
};

/** What has all the words as they were typed, or else all of their parts, or else some of them. */
export function find(index: MiniSearch<SearchEntry>, question: string): readonly Found[] {
  const whole = index.search(question, { combineWith: "AND", tokenize: wholeWordsOf });
  const all = whole.length > 0 ? whole : index.search(question, { combineWith: "AND" });
  const results = all.length > 0 ? all : index.search(question);
  return results.slice(0, most).map(shown);
}

function shown(result: SearchResult): Found {
  // The fields are those that the index was told to store.
  const { id, title, page, text, kind } = result as unknown as SearchEntry;
  const where = page === "" ? kinds[kind] : `${kinds[kind]} · ${page}`;
  return { id, title, where, excerpt: excerptOf(text, result.terms) };
}

function excerptOf(text: string, terms: readonly string[]): Found["excerpt"] {
  const words = terms.map((term) => term.replaceAll(/[^\p{L}\p{N}_]/gu, "")).filter(Boolean);
  if (words.length === 0) return [{ text: text.slice(0, excerptLength), isHit: false }];
  const pattern = new RegExp(`(${words.join("|")})`, "iu");
  const at = text.search(pattern);
  const start = at <= before ? 0 : text.indexOf(" ", at - before) + 1;
  const part = text.slice(start, start + excerptLength);
  const pieces = part.split(new RegExp(pattern, "giu"));
  return pieces
    .map((piece, place) => ({ text: piece, isHit: place % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}
