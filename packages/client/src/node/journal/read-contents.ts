import type { FileHandle } from "node:fs/promises";

import { headerLine, readHeader, readLine } from "./line.ts";
import { trouble } from "./trouble.ts";

/** What a journal holds. */
export interface Contents {
  /** Where the last line of each item begins, by the item's id. */
  readonly lines: Map<string, number>;
  /** Where the next line goes; what stands behind it was being written when the program or the machine stopped. */
  readonly end: number;
  /** What has to be written there first. */
  readonly missing: string;
}

const lineBreak = 10;
const chunkLength = 1 << 20;

/**
 * Reads a journal through. A line that is not whole at its end is no part of it: its `put` has not come back, so nothing was
 * done that leans on it.
 *
 * @throws `invalid_config` for a file that is no journal, is of a newer release, or is damaged elsewhere
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
      // Whatever begins a write was written when all before it was on disk.
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
  /** Whether it looks like what a stop leaves: no end, or zeros where a file has grown and nothing was written yet. */
  readonly isUnwritten: boolean;
}

/** A stretch of bytes up to a line break, or to the end of the file. */
interface Line {
  readonly bytes: Buffer;
  readonly start: number;
  readonly whole: boolean;
}

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
    // Whatever it is, its first line is longer than that of a journal.
    if (start === 0 && rest.length >= chunkLength) break;
  }
  if (rest.length > 0) yield { bytes: rest, start, whole: false };
}

/** Whether this is all that there is of a journal that was being made. */
function isBeginning(bytes: Buffer, whole: boolean): boolean {
  return !whole && headerLine.startsWith(bytes.toString("latin1"));
}

function checkHeader(bytes: Buffer, whole: boolean, path: string): void {
  const kind = whole ? readHeader(bytes.toString()) : "foreign";
  if (kind === "foreign") {
    throw trouble(
      `${path} is no journal: its first line is not that of one.`,
      "Nothing was changed. Give the path of a journal, or of a file that does not exist yet.",
    );
  }
  if (kind === "newer") {
    throw trouble(
      `The journal ${path} was written by a newer release of @tryon/client.`,
      "Nothing was changed. Go on with that release.",
    );
  }
}

function damaged(path: string, number: number): Error {
  return trouble(
    `The journal ${path} is damaged in line ${number}: that is not what was written there.`,
    "Nothing was changed. Put back a copy of the file; with a new journal, items of this one could be paid for again.",
  );
}
