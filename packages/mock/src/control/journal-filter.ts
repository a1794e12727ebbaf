import type { JournalEntry } from "./journal-entry.ts";
import { maskKey } from "./masking.ts";
import { pathMatcher, pathProblem } from "./request-pattern.ts";

/** Filter of the journal's entries. */
export interface JournalFilter {
  method?: string | undefined;
  /** Path without its query; a star matches one or more characters up to the next slash. */
  path?: string | undefined;
  /** Key, whole or masked as in the journal. Keys with the same last four characters match alike. */
  apiKey?: string | undefined;
  /** Earliest time of a request, in milliseconds since 1970 of the server's clock. */
  since?: number | undefined;
}

/** @throws RangeError for an invalid path. */
export function entryFilter({
  method,
  path = "*",
  apiKey,
  since = Number.NEGATIVE_INFINITY,
}: JournalFilter): (entry: JournalEntry) => boolean {
  const problem = pathProblem(path);
  if (problem !== undefined) throw new RangeError(`path: ${JSON.stringify(path)} ${problem}`);
  const matchesPath = pathMatcher(path);
  const key = apiKey === undefined ? undefined : maskKey(apiKey);
  return (entry) =>
    (method === undefined || entry.method === method) &&
    matchesPath(entry.path) &&
    (key === undefined || entry.apiKey === key) &&
    entry.at >= since;
}
