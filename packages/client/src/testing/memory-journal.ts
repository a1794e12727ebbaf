import type { Journal, JournalEntry } from "../batch/index.ts";

/** A journal that is gone with the test, and everything that was ever put into it. */
export interface MemoryJournal extends Journal {
  readonly entries: Map<string, JournalEntry>;
  readonly puts: JournalEntry[];
}

/** What else happens around each put; what it throws makes the put fail. */
interface Around {
  readonly before?: (entry: JournalEntry) => void;
  readonly after?: (entry: JournalEntry) => void;
}

export function memoryJournal({ before, after }: Around = {}): MemoryJournal {
  const entries = new Map<string, JournalEntry>();
  const puts: JournalEntry[] = [];
  return {
    entries,
    puts,
    get: async (id) => entries.get(id),
    list: () => entries.values(),
    put: async (entry) => {
      before?.(entry);
      puts.push(entry);
      // What is kept is text, as in any journal that outlives its program.
      entries.set(entry.id, JSON.parse(JSON.stringify(entry)) as JournalEntry);
      after?.(entry);
    },
  };
}

/** Everything that a loop gives. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
