/*
 * Program that appends to a journal until it fails. Prints the number of entries, the system error, and the error of later
 * calls.
 */
import { openJournal } from "@tryon/client/node";

const journal = await openJournal(process.argv[2] ?? "");
const failure = (error: unknown): Error => error as Error;

for (let count = 0; ; count += 1) {
  const entry = {
    id: `item-${count}`,
    state: "sending",
    idempotencyKey: `key-of-item-${count}`,
    digest: "5e",
    sync: true,
    sentAt: 1_800_000_000_000,
  } as const;
  const failed = await journal.put(entry).then(() => undefined, failure);
  if (failed === undefined) continue;
  const again = await journal.put(entry).then(() => undefined, failure);
  const code = /\((?<code>E\w+)\)/.exec(failed.message)?.groups?.["code"];
  const later =
    again?.message.includes("accepts no further entries") === true
      ? "accepts no further entries"
      : "";
  process.stdout.write(`${count}\n${code}\n${later}\n`);
  break;
}
await journal.close();
