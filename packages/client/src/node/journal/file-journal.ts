import { constants } from "node:fs";
import { open, realpath, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import type { Journal, JournalEntry } from "@tryon/client/batch";
import { syncFolder } from "@tryon/shared/private-file";

import {
  journalError,
  lengthOf,
  lineOf,
  linesOf,
  longRead,
  placeOf,
  readContents,
  readLine,
  startOf,
  systemCode,
} from "./journal-line.ts";
import type { NumberMap } from "../../batch/number-map.ts";
import { takeLock } from "./take-lock.ts";

/**
 * Journal in a file, returned by `openJournal`. The file has one JSON line per entry and only grows. Memory holds 30 to 60
 * bytes per item: a hash of its id, and the position of its last line.
 *
 * Concurrent calls of `put` share one write, in the order of the calls. Every method throws `invalid_config` if the journal
 * is closed or its file cannot be read or written. After a failed write, every later `put` also throws, since the contents
 * of the disk are unknown.
 */
export interface FileJournal extends Journal, AsyncDisposable {
  /** Absolute path of the file, with links resolved. */
  readonly path: string;
  /** Returns the last entry of each item, in the order of `put`. It omits entries that are put after the first step. */
  list(): AsyncGenerator<JournalEntry, void, undefined>;
  /** Waits for pending writes, then closes the file and removes the lock, as `await using` does. Can be repeated. */
  close(): Promise<void>;
}

const mode = 0o600;
/** Bytes after a line within which the next one continues a series, which is read at once. */
const nearby = 65_536;

/**
 * Opens a file as the journal of a batch, and creates the file if it does not exist. After a crash, run the batch again
 * with the same file: it continues, and each item is charged at most once if the service remembers keys for
 * `idempotencyWindow`. The file contains no image, API key or signed URL. Only its owner can read it.
 *
 * One process at a time can open the journal. A lock file with the suffix `.lock` ensures this. The lock of a killed
 * process is replaced, except after a restart of the machine or container: then the error names the file to delete.
 *
 * @param path - Path of the file, on a local disk. Its folder must exist. Links are rejected.
 * @throws `invalid_config` if another process has the journal open, if the file is another kind of file, from a newer
 * release or damaged, or if the system reports an error. The message names the process, the line or the system error.
 * @example
 * import { TryOn } from "@tryon/client";
 * import { batch } from "@tryon/client/batch";
 * import { openJournal } from "@tryon/client/node";
 *
 * const journal = await openJournal("spring.ndjson");
 * try {
 *   for await (const item of batch(new TryOn(), inputs, { id: ({ sku }) => sku, journal })) console.log(item.id);
 * } finally {
 *   await journal.close();
 * }
 */
export async function openJournal(path: string | URL): Promise<FileJournal> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const given = typeof path === "string" ? path : fileURLToPath(path);
  let file: FileHandle | undefined;
  let release: (() => Promise<void>) | undefined;
  try {
    // Never blocks on a pipe or device.
    file = await open(given, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode);
    const found = await file.stat();
    // Each name of a file would have its own lock.
    if (!found.isFile() || found.nlink !== 1) {
      const why = found.isFile() ? "has several hard links" : "must be a regular file";
      throw journalError(`The journal ${given} ${why}.`, "Use another path.");
    }
    // Every path must lead to one lock.
    const real = await realpath(given);
    release = await takeLock(real);
    const { lines, end, missing } = await readContents(file, real);
    // An older or copied file may have another mode.
    await file.chmod(mode);
    await file.truncate(end);
    await append(file, missing);
    await syncFolder(dirname(real));
    return createJournal(real, file, release, lines, end + missing.length);
  } catch (error) {
    await release?.();
    await file?.close();
    const code = systemCode(error);
    if (code === undefined || code === "invalid_config") throw error;
    const hint = hints[code] ?? hints.default;
    throw journalError(`The journal ${given} cannot be opened (${code}).`, hint, error);
  }
}

const hints: { readonly default: string; readonly [code: string]: string } = {
  default: "Use a file on a local disk, in a folder that this user can read and write.",
  ELOOP: "The path is a link. Use the path of the file.",
  ENOENT: "Create its folder first.",
  EISDIR: "The path is a folder. Use the path of a file.",
  ENOSPC: "Free space on the disk.",
};

/** Appends to the file and flushes it, including earlier writes that were never flushed. */
async function append(file: FileHandle, text: string): Promise<void> {
  await file.appendFile(text);
  await file.datasync();
}

function createJournal(
  path: string,
  file: FileHandle,
  release: () => Promise<void>,
  lines: NumberMap,
  end: number,
): FileJournal {
  let position = end;
  let waiting: { readonly id: string; readonly line: string }[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  let closing: Promise<void> | undefined;

  const rejectIfClosed = (): void => {
    if (closing === undefined) return;
    throw journalError(
      `The journal ${path} is closed.`,
      "Close it after the batch, or open it again.",
    );
  };

  const changedAt = (start: number): Error =>
    journalError(
      `The journal ${path} was changed at byte ${start} by another program.`,
      "Make sure that nothing else writes to it, and restore a copy of the file.",
    );

  const write = async (): Promise<void> => {
    const entries = waiting;
    waiting = [];
    next = undefined;
    try {
      await append(file, entries.map(({ line }) => line).join(""));
    } catch (error) {
      // Remove the incomplete lines if possible. Otherwise, the next `openJournal` does it.
      await file.truncate(position).catch(() => undefined);
      throw journalError(
        `The journal ${path} could not be written (${systemCode(error) ?? "unknown"}), and accepts no further entries.`,
        "Free space on the disk or fix it, then run the batch again: it continues.",
        error,
      );
    }
    for (const { id, line } of entries) {
      const length = Buffer.byteLength(line);
      lines.set(id, placeOf(position, length));
      position += length;
    }
  };

  /** Lines of the last read, by their position. A batch often asks for items in the order in which they were written. */
  let known = new Map<number, Buffer>();
  /** Position of the line that was asked for last. */
  let asked = Infinity;
  const lineAt = async (place: number): Promise<Buffer> => {
    const start = startOf(place);
    const isNext = start > asked && start < asked + nearby;
    asked = start;
    const line = known.get(start);
    if (line !== undefined) return line;
    for await (const read of linesOf(file, start, isNext ? longRead : lengthOf(place))) {
      const first = read[0];
      if (first === undefined) continue;
      const whole = read.filter(({ isWhole }) => isWhole);
      if (isNext) known = new Map(whole.map(({ bytes, start: at }) => [at, bytes]));
      return first.bytes;
    }
    throw changedAt(start);
  };

  const closeFile = async (): Promise<void> => {
    await last.catch(() => undefined);
    try {
      await file.close();
    } finally {
      await release();
    }
  };
  const close = (): Promise<void> => (closing ??= closeFile());

  return {
    path,
    async get(id) {
      rejectIfClosed();
      const place = lines.get(id);
      if (place === undefined) return undefined;
      const entry = readLine(await lineAt(place))?.entry;
      if (entry?.id === id) return entry;
      throw changedAt(startOf(place));
    },
    async *list() {
      rejectIfClosed();
      const places = lines.values();
      let count = 0;
      for await (const read of linesOf(file, 0, longRead)) {
        for (const { bytes, start } of read) {
          if (start !== startOf(places[count] ?? Number.NaN)) continue;
          count += 1;
          const entry = readLine(bytes)?.entry;
          if (entry === undefined) throw changedAt(start);
          yield entry;
        }
      }
    },
    async put(entry) {
      rejectIfClosed();
      waiting.push({ id: entry.id, line: lineOf(entry, waiting.length > 0) });
      // A failed write rejects all later ones.
      next ??= last.then(write);
      last = next;
      return next;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
