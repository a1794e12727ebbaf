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
      throw this.#stopped("read", id, cause);
    }
  }

  /** Reads every entry. Throws the error that stops the batch if that fails. */
  async *list(): AsyncGenerator<JournalEntry, void, undefined> {
    try {
      yield* this.#journal.list();
    } catch (cause) {
      throw this.#stopped("read", undefined, cause);
    }
  }

  /** Writes an entry down before anything is sent. Throws the error that stops the batch when that fails. */
  async first(entry: JournalEntry): Promise<void> {
    try {
      await this.#journal.put(entry);
    } catch (cause) {
      throw this.#stopped("written", entry.id, cause);
    }
  }

  /** Writes an entry down. Stops the batch when that fails, and lets the item go on, which has been sent. */
  async put(entry: JournalEntry): Promise<void> {
    await this.first(entry).catch(() => undefined);
  }

  #stopped(done: "read" | "written", id: string | undefined, cause: unknown): BatchStoppedError {
    const item = id === undefined ? "" : ` for item ${JSON.stringify(id)}`;
    const error = new BatchStoppedError(
      "journal",
      `The batch stopped: the journal could not be ${done}${item}.`,
      "Nothing is sent that is not written down: mend the journal and run the batch again.",
      cause,
    );
    this.#stop(error);
    return error;
  }
}
