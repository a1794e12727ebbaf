import type { FileHandle } from "node:fs/promises";

import type { Journal, JournalEntry } from "@tryon/client/batch";

import { journalError, systemCode } from "./journal-error.ts";
import { entryText, readLine, sealedLine } from "./journal-line.ts";
import { linesOf } from "./read-contents.ts";
import type { Release } from "./take-lock.ts";

/** Bytes to read first: enough for almost every line. */
const usualLine = 4096;

/**
 * Journal in a file, returned by `openJournal`. The file has one JSON line per entry and only grows. Memory holds the id of
 * each item and the position of its last line.
 */
export class FileJournal implements Journal {
  /** Absolute path of the file, with links resolved. */
  readonly path: string;
  readonly #file: FileHandle;
  readonly #release: Release;
  readonly #lines: Map<string, number>;
  #end: number;
  readonly #waiting: { readonly id: string; readonly text: string }[] = [];
  /** Write that collects entries until the last one has ended. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  #closing: Promise<void> | undefined;

  /** @internal Journals come from `openJournal`. */
  constructor(
    { path, file, release }: { path: string; file: FileHandle; release: Release },
    { lines, end }: { lines: Map<string, number>; end: number },
  ) {
    this.path = path;
    this.#file = file;
    this.#release = release;
    this.#lines = lines;
    this.#end = end;
  }

  /**
   * Returns the last entry of an item that is on disk.
   *
   * @throws `invalid_config` if the journal is closed or its file cannot be read
   */
  async get(id: string): Promise<JournalEntry | undefined> {
    this.#rejectIfClosed();
    const start = this.#lines.get(id);
    if (start === undefined) return undefined;
    for await (const { bytes } of linesOf(this.#file, start, usualLine)) {
      const read = readLine(bytes);
      if (read?.entry.id === id) return read.entry;
      break;
    }
    throw this.#changedAt(start);
  }

  /**
   * Returns the last entry of each item, in the order of `put`. It omits entries that are put after the first step.
   *
   * @throws `invalid_config` if the journal is closed or its file cannot be read
   */
  async *list(): AsyncGenerator<JournalEntry, void, undefined> {
    this.#rejectIfClosed();
    const starts = new Set(this.#lines.values());
    for await (const { bytes, start } of linesOf(this.#file)) {
      if (!starts.has(start)) continue;
      const read = readLine(bytes);
      if (read === undefined) throw this.#changedAt(start);
      yield read.entry;
    }
  }

  /**
   * Appends an entry. Resolves once it is on disk. Concurrent calls share one write, in the order of the calls.
   *
   * @throws `invalid_config` if the journal is closed or a write failed. After a failed write, every later call also throws,
   * since the contents of the disk are unknown.
   */
  async put(entry: JournalEntry): Promise<void> {
    this.#rejectIfClosed();
    if (this.#failure !== undefined) throw this.#failure;
    this.#waiting.push({ id: entry.id, text: entryText(entry) });
    if (this.#next === undefined) {
      this.#next = this.#last.then(() => this.#write());
      this.#last = this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  /** Waits for pending writes, then closes the file and removes the lock. Can be called repeatedly. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Closes the journal, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #changedAt(start: number): Error {
    return journalError(
      `The journal ${this.path} was changed at byte ${start} by another program.`,
      "Make sure that nothing else writes to it, and restore a copy of the file.",
    );
  }

  async #write(): Promise<void> {
    this.#next = undefined;
    const entries = this.#waiting.splice(0);
    if (this.#failure !== undefined) throw this.#failure;
    const lines = entries.map(({ text }, index) => sealedLine(text, index > 0));
    try {
      await append(this.#file, lines.join(""));
    } catch (error) {
      // Remove the incomplete lines if possible. Otherwise, the next `openJournal` does it.
      await this.#file.truncate(this.#end).catch(() => undefined);
      this.#failure = journalError(
        `The journal ${this.path} could not be written (${systemCode(error) ?? "unknown"}), and accepts no further entries.`,
        "Free space on the disk or fix it, then run the batch again: it continues.",
        error,
      );
      throw this.#failure;
    }
    for (const [index, { id }] of entries.entries()) {
      this.#lines.set(id, this.#end);
      this.#end += Buffer.byteLength(lines[index] ?? "");
    }
  }

  async #close(): Promise<void> {
    await this.#last;
    try {
      await this.#file.close();
    } finally {
      await this.#release();
    }
  }

  #rejectIfClosed(): void {
    if (this.#closing === undefined) return;
    throw journalError(
      `The journal ${this.path} is closed.`,
      "Close it after the batch, or open it again.",
    );
  }
}

/** Appends to the file and flushes it, including earlier writes that were never flushed. */
export async function append(file: FileHandle, text: string): Promise<void> {
  await file.appendFile(text);
  await file.datasync();
}
