import { BatchStoppedError } from "./batch-stopped-error.ts";
import type { Journal, JournalEntry } from "./journal.ts";

/** A journal, and what becomes of a batch when it fails. */
export class Logbook {
  readonly #journal: Journal;
  readonly #stop: (error: BatchStoppedError) => void;

  constructor(journal: Journal, stop: (error: BatchStoppedError) => void) {
    this.#journal = journal;
    this.#stop = stop;
  }

  /** The last entry for an item. Throws the error that stops the batch when it cannot be read. */
  async get(id: string): Promise<JournalEntry | undefined> {
    try {
      return await this.#journal.get(id);
    } catch (cause) {
      throw this.#stopped(id, "read", cause);
    }
  }

  /** Writes an entry down before anything is sent. Throws the error that stops the batch when that fails. */
  async first(entry: JournalEntry): Promise<void> {
    try {
      await this.#journal.put(entry);
    } catch (cause) {
      throw this.#stopped(entry.id, "written", cause);
    }
  }

  /** Writes an entry down. Stops the batch when that fails, and lets the item go on, which has been sent. */
  async put(entry: JournalEntry): Promise<void> {
    await this.first(entry).catch(() => undefined);
  }

  #stopped(id: string, done: "read" | "written", cause: unknown): BatchStoppedError {
    const error = new BatchStoppedError(
      "journal",
      `The batch stopped: the journal could not be ${done} for item ${JSON.stringify(id)}.`,
      "Nothing is sent that is not written down: mend the journal and run the batch again.",
      cause,
    );
    this.#stop(error);
    return error;
  }
}
