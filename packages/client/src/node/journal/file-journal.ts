import type { FileHandle } from "node:fs/promises";

import type { Journal, JournalEntry } from "@tryon/client/batch";

import { entryText, readLine, sealedLine } from "./line.ts";
import type { Release } from "./lock.ts";
import { linesOf } from "./read-contents.ts";
import { systemCode, trouble } from "./trouble.ts";

/** Enough for almost every line, in bytes. */
const usualLine = 4096;

/**
 * A journal in a file: one line of JSON for each entry, only ever added to. Comes from `openJournal`. Of each item it keeps
 * in memory where its last line begins, and nothing else.
 */
export class FileJournal implements Journal {
  /** The file, as the system knows it. */
  readonly path: string;
  readonly #file: FileHandle;
  readonly #release: Release;
  readonly #lines: Map<string, number>;
  #end: number;
  #waiting: { readonly id: string; readonly text: string }[] = [];
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
   * The last entry that was put for an item and is on disk.
   *
   * @throws `invalid_config` when the journal is closed, or its file cannot be read any more
   */
  async get(id: string): Promise<JournalEntry | undefined> {
    this.#refuseWhenClosed();
    const start = this.#lines.get(id);
    if (start === undefined) return undefined;
    const read = readLine(await this.#lineAt(start));
    if (read?.entry.id === id) return read.entry;
    throw this.#changedAt(start);
  }

  /**
   * Reads the last entry of each item, in the order in which they were put. Entries put meanwhile are not part of it.
   *
   * @throws `invalid_config` when the journal is closed, or its file cannot be read any more
   */
  async *list(): AsyncGenerator<JournalEntry, void, undefined> {
    this.#refuseWhenClosed();
    const starts = new Set(this.#lines.values());
    for await (const { bytes, start } of linesOf(this.#file)) {
      if (!starts.has(start)) continue;
      const read = readLine(bytes);
      if (read === undefined) throw this.#changedAt(start);
      yield read.entry;
    }
  }

  /**
   * Adds an entry. Comes back once it is on disk; entries put at the same time share one write, in the order in which they
   * were put.
   *
   * @throws `invalid_config` when the journal is closed, or it could not be written: then also from every later call, since
   * what is on disk is not known
   */
  async put(entry: JournalEntry): Promise<void> {
    this.#refuseWhenClosed();
    if (this.#failure !== undefined) throw this.#failure;
    this.#waiting.push({ id: entry.id, text: entryText(entry) });
    this.#next ??= this.#write(this.#last);
    return this.#next;
  }

  /** Waits for what is being written, and lets others open the journal. May be called again. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #changedAt(start: number): Error {
    return trouble(
      `The journal ${this.path} has changed at byte ${start} since it was written there.`,
      "Let nothing else write to it; put back a copy of the file before you go on.",
    );
  }

  async #write(before: Promise<void>): Promise<void> {
    await before.catch(() => undefined);
    const entries = this.#waiting;
    this.#waiting = [];
    this.#last = this.#next ?? before;
    this.#next = undefined;
    if (this.#failure !== undefined) throw this.#failure;
    const lines = entries.map(({ text }, index) => sealedLine(text, index > 0));
    try {
      await append(this.#file, lines.join(""));
    } catch (error) {
      // What was not promised is taken off again where that still works; else it is when the journal is opened next.
      await this.#file.truncate(this.#end).catch(() => undefined);
      this.#failure = trouble(
        `The journal ${this.path} could not be written (${systemCode(error) ?? "unknown"}), and takes nothing more.`,
        "Make room or mend the disk, and run the batch again: it goes on where it was.",
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
    // What is put before this is written after what is being written.
    await Promise.allSettled([this.#last, this.#next]);
    try {
      await this.#file.close();
    } finally {
      await this.#release();
    }
  }

  async #lineAt(start: number): Promise<Buffer> {
    let bytes = Buffer.alloc(0);
    for (;;) {
      const { buffer, bytesRead } = await this.#file.read({
        buffer: Buffer.allocUnsafe(Math.max(usualLine, bytes.length)),
        position: start + bytes.length,
      });
      bytes = Buffer.concat([bytes, buffer.subarray(0, bytesRead)]);
      const at = bytes.indexOf("\n");
      if (at !== -1) return bytes.subarray(0, at);
      if (bytesRead === 0) return bytes;
    }
  }

  #refuseWhenClosed(): void {
    if (this.#closing === undefined) return;
    throw trouble(
      `The journal ${this.path} is closed.`,
      "Close it when the batch has ended, or open it again.",
    );
  }
}

/** Adds to the file. Comes back when everything in it is on disk, also what whoever had it before did not wait for. */
export async function append(file: FileHandle, text: string): Promise<void> {
  await file.appendFile(text);
  await file.datasync();
}
