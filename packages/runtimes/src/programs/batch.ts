import { TryOn } from "@tryon/client";
import { batch, type JournalEntry } from "@tryon/client/batch";
import type { ProgramContext } from "./program-context.ts";

/** Runs a batch twice on one journal. The second run sends nothing. */
export async function run({ baseUrl, apiKey }: ProgramContext): Promise<unknown> {
  const tryon = new TryOn({ apiKey, baseUrl });
  const entries = new Map<string, JournalEntry>();
  const journal = {
    get: async (id: string) => entries.get(id),
    list: () => entries.values(),
    put: async (entry: JournalEntry) => void entries.set(entry.id, entry),
  };
  const told: boolean[] = [];
  for (let times = 0; times < 2; times += 1) {
    const items = batch(tryon, ["shirt", "coat"], {
      id: (name) => name,
      input: (name) => ({
        person: "https://shop.example/me.jpg",
        garments: [`https://shop.example/${name}.png`],
      }),
      journal,
    });
    for await (const { result, fromJournal } of items) told.push(result !== undefined, fromJournal);
  }
  return told;
}
