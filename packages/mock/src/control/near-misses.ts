import type { JournalEntry } from "./journal-entry.ts";
import type { RequestPattern } from "./request-pattern.ts";

const maxLines = 5;

/**
 * Describes requests that do not match a pattern: those of the same path first, then those of the same method. Equal
 * requests share a line.
 */
export function nearMisses(pattern: RequestPattern, entries: readonly JournalEntry[]): string {
  const lines = describeNearest(pattern, entries);
  if (lines.length === 0) return "No other request arrived.";
  const rest = lines.length - maxLines;
  const more = rest > 0 ? [`… and ${rest} other kinds of requests`] : [];
  const shown = lines.slice(0, maxLines).map(({ line }) => line);
  return ["Other requests:", ...shown, ...more].join("\n  ");
}

export function describeNearest(pattern: RequestPattern, entries: readonly JournalEntry[]) {
  const groups = new Map<string, { count: number; nearness: number }>();
  for (const entry of entries) {
    const line = describe(entry);
    const { count } = groups.get(line) ?? { count: 0 };
    groups.set(line, { count: count + 1, nearness: nearnessOf(pattern, entry) });
  }
  return [...groups]
    .toSorted(([, a], [, b]) => b.nearness - a.nearness)
    .map(([line, { count, nearness }]) => ({
      line: count === 1 ? line : `${line} (${count} times)`,
      nearness,
    }));
}

function describe({ method, path, status, durationMs, apiKey }: JournalEntry): string {
  const outcome = durationMs === null ? "in progress" : (status ?? "connection broken");
  return `${method} ${path}, ${outcome}, ${apiKey === null ? "no key" : `key ${apiKey}`}`;
}

function nearnessOf(pattern: RequestPattern, { method, path }: JournalEntry): number {
  const isSamePath = pattern.matches(pattern.method, path);
  return (isSamePath ? 2 : 0) + (pattern.method === method ? 1 : 0);
}
