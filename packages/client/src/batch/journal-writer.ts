import { BatchStoppedError } from "./batch-stopped-error.ts";
import type { Journal, JournalEntry } from "./journal.ts";

/** Reads and writes the journal of a batch, and stops the batch if that fails. */
export class JournalWriter {
  readonly #journal: Journal;
  readonly #stop: (error: BatchStoppedError) => void;

  constructor(journal: Journal, stop: (error: BatchStoppedError) => void) {
    this.#journal = journal;
    this.#stop = stop;
  }

  /** Returns the last entry of an item. Throws the error that stops the batch if that fails. */
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

  /** Writes an entry before anything is sent. Throws the error that stops the batch if that fails. */
  async first(entry: JournalEntry): Promise<void> {
    try {
      await this.#journal.put(entry);
    } catch (cause) {
      throw this.#stopped("written", entry.id, cause);
    }
  }

  /** Writes an entry of an item that was sent. Stops the batch if that fails, but not the item. */
  async put(entry: JournalEntry): Promise<void> {
    await this.first(entry).catch(() => undefined);
  }

  #stopped(done: "read" | "written", id: string | undefined, cause: unknown): BatchStoppedError {
    const item = id === undefined ? "" : ` for item ${JSON.stringify(id)}`;
    const error = new BatchStoppedError(
      "journal",
      `The batch stopped: the journal could not be ${done}${item}.`,
      "Fix the journal and run the batch again. A batch sends nothing that its journal does not contain.",
      cause,
    );
    this.#stop(error);
    return error;
  }
}
