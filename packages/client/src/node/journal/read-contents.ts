import type { FileHandle } from "node:fs/promises";

import { headerLine, readHeader, readLine } from "./journal-line.ts";
import { journalError } from "./journal-error.ts";

/** Contents of a journal file. */
export interface Contents {
  /** Position of each item's last line in bytes, by id. */
  readonly lines: Map<string, number>;
  /** Position of the next line in bytes. Anything after it is an incomplete write. */
  readonly end: number;
  /** Text to write there first. */
  readonly missing: string;
}

const lineBreak = 10;
const chunkLength = 1 << 20;

/**
 * Reads a journal. Ignores an incomplete last line: its `put` never resolved, so nothing was sent because of it.
 *
 * @throws `invalid_config` if the file has another format, is from a newer release, or has damage before the last write
 */
export async function readContents(file: FileHandle, path: string): Promise<Contents> {
  const lines = new Map<string, number>();
  let damage: Damage | undefined;
  let end = 0;
  let number = 0;
  for await (const { bytes, start, whole } of linesOf(file)) {
    number += 1;
    if (number === 1) {
      if (isBeginning(bytes, whole)) return { lines, end: 0, missing: headerLine };
      checkHeader(bytes, whole, path);
      end = bytes.length + 1;
      continue;
    }
    const read = readLine(bytes);
    if (damage !== undefined) {
      // This line begins a later write, so everything before it was on disk.
      if (read?.joined === false) throw damaged(path, damage.number);
    } else if (read === undefined) {
      damage = { number, isUnwritten: !whole || bytes.includes(0) };
    } else {
      lines.set(read.entry.id, start);
      end = start + bytes.length + 1;
      if (!whole) return { lines, end: end - 1, missing: "\n" };
    }
  }
  if (damage?.isUnwritten === false) throw damaged(path, damage.number);
  return { lines, end, missing: number === 0 ? headerLine : "" };
}

interface Damage {
  readonly number: number;
  /** If true, a crash can have left this line: it is incomplete, or contains zeros that were never overwritten. */
  readonly isUnwritten: boolean;
}

/** Bytes up to a line break or the end of the file. */
interface Line {
  readonly bytes: Buffer;
  readonly start: number;
  readonly whole: boolean;
}

/** Yields the lines of a file. */
export async function* linesOf(file: FileHandle): AsyncGenerator<Line, void, undefined> {
  let rest = Buffer.alloc(0);
  let start = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read({
      buffer: Buffer.allocUnsafe(chunkLength),
      position: start + rest.length,
    });
    if (bytesRead === 0) break;
    let from = rest.length;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    for (;;) {
      const at = rest.indexOf(lineBreak, from);
      if (at === -1) break;
      yield { bytes: rest.subarray(0, at), start, whole: true };
      start += at + 1;
      rest = rest.subarray(at + 1);
      from = 0;
    }
    // The first line is longer than the header of a journal.
    if (start === 0 && rest.length >= chunkLength) break;
  }
  if (rest.length > 0) yield { bytes: rest, start, whole: false };
}

/** Returns true if the file contains only a part of the header, after a crash. */
function isBeginning(bytes: Buffer, whole: boolean): boolean {
  return !whole && headerLine.startsWith(bytes.toString("latin1"));
}

function checkHeader(bytes: Buffer, whole: boolean, path: string): void {
  const kind = whole ? readHeader(bytes.toString()) : "foreign";
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

function damaged(path: string, number: number): Error {
  return journalError(
    `The journal ${path} is damaged in line ${number}: its checksum does not match.`,
    "Nothing was changed. Restore a copy of the file: with a new journal, the batch could pay for items again.",
  );
}
