/*
 * Program that appends to a journal until it fails. Prints the number of entries, and the errors of two calls.
 */
import type { JournalEntry } from "@tryon/client/batch";
import { openJournal } from "@tryon/client/node";

const journal = await openJournal(process.argv[2] ?? "");
let count = 0;

const append = (): Promise<void> => {
  const id = `item-${count}`;
  const fields = { digest: "5e", sync: true, sentAt: 1_800_000_000_000 } as const;
  const entry: JournalEntry = { id, state: "sending", idempotencyKey: `key-of-${id}`, ...fields };
  return journal.put(entry);
};

const errors: string[] = [];
while (errors.length < 2) {
  await append().then(
    () => (count += 1),
    (error: unknown) => errors.push(String(error)),
  );
}
process.stdout.write(JSON.stringify({ count, errors }));
await journal.close();
