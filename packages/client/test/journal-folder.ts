import { existsSync } from "node:fs";
import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { JournalEntry } from "@tryon/client/batch";
import { openJournal } from "@tryon/client/node";
import { onTestFinished } from "vitest";

// A file system in memory flushes immediately.
const memory = "/dev/shm";
const root = existsSync(memory) ? memory : tmpdir();

/** Creates a folder until the end of the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(root, "tryon-journal-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function journalPath(): Promise<string> {
  return join(await temporaryFolder(), "run.ndjson");
}

export function entry(id: string, fields: Partial<JournalEntry> = {}): JournalEntry {
  return {
    id,
    state: "sending",
    idempotencyKey: `key-of-${id}`,
    digest: "5e",
    sync: true,
    sentAt: 1_800_000_000_000,
    ...fields,
  };
}

/** Creates a journal with an entry per id and a write per list of ids, closes it and returns its path. */
export async function closedJournal(...writes: readonly (readonly string[])[]): Promise<string> {
  const path = await journalPath();
  await using journal = await openJournal(path);
  for (const ids of writes) await Promise.all(ids.map((id) => journal.put(entry(id))));
  return path;
}

/** Returns the prototype of all open files. */
export async function everyFile(): Promise<FileHandle> {
  const file = await open(fileURLToPath(import.meta.url));
  await file.close();
  // The prototype has the methods of every file.
  return Object.getPrototypeOf(file) as FileHandle;
}
