import type { CallPattern } from "./call-pattern.ts";
import type { JournalEntry } from "./journal-entry.ts";

/** How many kinds of calls a report lists. */
const listed = 5;

/**
 * What came instead of the calls that were waited for, nearest first: calls of the same path before those of the same
 * method before the rest, alike ones on one line.
 */
export function nearMisses(pattern: CallPattern, entries: readonly JournalEntry[]): string {
  const groups = new Map<string, { count: number; nearness: number }>();
  for (const entry of entries) {
    const line = describe(entry);
    const { count } = groups.get(line) ?? { count: 0 };
    groups.set(line, { count: count + 1, nearness: nearness(pattern, entry) });
  }
  if (groups.size === 0) return "No other call came.";
  const lines = [...groups]
    .toSorted(([, a], [, b]) => b.nearness - a.nearness)
    .map(([line, { count }]) => (count === 1 ? line : `${line} (${count} times)`));
  const more = lines.length > listed ? [`… and ${lines.length - listed} other kinds of calls`] : [];
  return ["What came instead:", ...lines.slice(0, listed), ...more].join("\n  ");
}

function describe({ method, path, status, durationMs, apiKey }: JournalEntry): string {
  const answer = durationMs === null ? "under way" : (status ?? "connection broken");
  return `${method} ${path}, ${answer}, ${apiKey === null ? "no key" : `key ${apiKey}`}`;
}

function nearness(pattern: CallPattern, entry: JournalEntry): number {
  if (pattern.matches(entry.method, entry.path)) return 1_000;
  const shared = sharedSegments(pattern.path, entry.path);
  if (pattern.matches(pattern.method, entry.path)) return 500 + shared;
  return (pattern.method === entry.method ? 100 : 0) + shared;
}

function sharedSegments(pattern: string, path: string): number {
  const others = path.split("/");
  const parts = pattern.split("/");
  const first = parts.findIndex((part, index) => part !== others[index]);
  return first === -1 ? parts.length : first;
}
