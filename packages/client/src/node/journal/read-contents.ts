import type { FileHandle } from "node:fs/promises";

import { journalError } from "./journal-error.ts";
import { headerLine, readHeader, readLine } from "./journal-line.ts";

/** Contents of a journal file. */
export interface Contents {
  /** Position of each item's last line in bytes, by id. */
  readonly lines: Map<string, number>;
  /** Position of the next line in bytes. Anything after it is an incomplete write. */
  readonly end: number;
  /** Text to write there first. */
  readonly missing: string;
}

/**
 * Reads a journal. Ignores an incomplete last line: its `put` never resolved, so nothing was sent because of it.
 *
 * @throws `invalid_config` if the file has another format, is from a newer release, or has damage before the last write
 */
export async function readContents(file: FileHandle, path: string): Promise<Contents> {
  const lines = new Map<string, number>();
  let damagedLine: number | undefined;
  /** If true, a crash can have left the damage: the line is incomplete, or has zeros that were never overwritten. */
  let isUnwritten = false;
  let end = 0;
  let number = 0;
  for await (const { bytes, start, whole } of linesOf(file)) {
    number += 1;
    if (number === 1) {
      // After a crash, a file can have only a part of the header.
      if (!whole && headerLine.startsWith(bytes.toString("latin1"))) break;
      checkHeader(whole ? bytes.toString() : "", path);
      end = bytes.length + 1;
      continue;
    }
    const read = readLine(bytes);
    if (damagedLine !== undefined) {
      // This line begins a later write, so everything before it was on disk.
      if (read?.joined === false) throw damaged(path, damagedLine);
    } else if (read === undefined) {
      damagedLine = number;
      isUnwritten = !whole || bytes.includes(0);
    } else {
      lines.set(read.entry.id, start);
      end = start + bytes.length + 1;
      if (!whole) return { lines, end: end - 1, missing: "\n" };
    }
  }
  if (damagedLine !== undefined && !isUnwritten) throw damaged(path, damagedLine);
  return { lines, end, missing: end === 0 ? headerLine : "" };
}

/** Bytes up to a line break or the end of the file. */
interface Line {
  readonly bytes: Buffer;
  readonly start: number;
  readonly whole: boolean;
}

const maxChunk = 1 << 20;

/** Yields the lines of a file from a position, which it reads in chunks. */
export async function* linesOf(
  file: FileHandle,
  from = 0,
  chunk = maxChunk,
): AsyncGenerator<Line, void, undefined> {
  let rest = Buffer.alloc(0);
  let start = from;
  for (;;) {
    const position = start + rest.length;
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(chunk), position });
    if (bytesRead === 0) break;
    let searched = rest.length;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    for (let at = 0; (at = rest.indexOf("\n", searched)) !== -1; searched = 0) {
      yield { bytes: rest.subarray(0, at), start, whole: true };
      start += at + 1;
      rest = rest.subarray(at + 1);
    }
    // The first line is longer than the header of a journal.
    if (start === 0 && rest.length >= maxChunk) break;
  }
  if (rest.length > 0) yield { bytes: rest, start, whole: false };
}

function checkHeader(line: string, path: string): void {
  const kind = readHeader(line);
  if (kind === "foreign") {
    throw journalError(
      `${path} is not a journal: its first line differs.`,
      "Nothing was changed. Use the path of a journal or of a new file.",
    );
  }
  if (kind === "newer") {
    throw journalError(
      `The journal ${path} was written by a newer release of @tryon/client.`,
      "Nothing was changed. Update @tryon/client.",
    );
  }
}

function damaged(path: string, line: number): Error {
  return journalError(
    `The journal ${path} is damaged in line ${line}: its checksum does not match.`,
    "Nothing was changed. Restore a copy of the file: with a new journal, the batch could pay for items again.",
  );
}
