import type { JournalEntry } from "./journal-entry.ts";
import type { RequestPattern } from "./request-pattern.ts";

/** Maximum number of lines in a report. */
const maxLines = 5;

/**
 * Describes requests that do not match a pattern: those of the same path first, then those of the same method. Equal
 * requests share a line.
 */
export function nearMisses(pattern: RequestPattern, entries: readonly JournalEntry[]): string {
  const groups = new Map<string, { count: number; nearness: number }>();
  for (const entry of entries) {
    const line = describe(entry);
    const { count } = groups.get(line) ?? { count: 0 };
    groups.set(line, { count: count + 1, nearness: nearness(pattern, entry) });
  }
  if (groups.size === 0) return "No other request arrived.";
  const lines = [...groups]
    .toSorted(([, a], [, b]) => b.nearness - a.nearness)
    .map(([line, { count }]) => (count === 1 ? line : `${line} (${count} times)`));
  const rest = lines.length - maxLines;
  const more = rest > 0 ? [`… and ${rest} other kinds of requests`] : [];
  return ["Other requests:", ...lines.slice(0, maxLines), ...more].join("\n  ");
}

function describe({ method, path, status, durationMs, apiKey }: JournalEntry): string {
  const outcome = durationMs === null ? "in progress" : (status ?? "connection broken");
  return `${method} ${path}, ${outcome}, ${apiKey === null ? "no key" : `key ${apiKey}`}`;
}

function nearness(pattern: RequestPattern, entry: JournalEntry): number {
  if (pattern.matches(entry.method, entry.path)) return 1_000;
  const segments = entry.path.split("/");
  const parts = pattern.path.split("/");
  const difference = parts.findIndex((part, index) => part !== segments[index]);
  const shared = difference === -1 ? parts.length : difference;
  if (pattern.matches(pattern.method, entry.path)) return 500 + shared;
  return (pattern.method === entry.method ? 100 : 0) + shared;
}
