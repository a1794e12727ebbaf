import MiniSearch from "minisearch";

import { searchOptions, type SearchEntry } from "../search-entry.ts";

export async function loadFrom(address: string): Promise<MiniSearch<SearchEntry>> {
  const answer = await fetch(address);
  return MiniSearch.loadJSONAsync(await answer.text(), searchOptions);
}
