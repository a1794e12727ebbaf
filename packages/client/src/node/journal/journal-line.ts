import crypto from "node:crypto";
import type { FileHandle } from "node:fs/promises";

import { ConfigError } from "@tryon/client";
import type { JournalEntry } from "@tryon/client/batch";

import { NumberMap } from "../../batch/number-map.ts";
import { withoutSignedUrl } from "../../stores/journal-entry.ts";

const kind = '{"journal":"tryon-batch","version":';
const header = `${kind}1}`;

/**
 * Returns the line of an entry, with its checksum and without the signed URL of the result. `joined` marks a line that
 * shares a write with the line before it. A power failure can damage any part of the last write; earlier writes are on disk.
 */
export function lineOf(entry: JournalEntry, joined: boolean): string {
  const fields = { ...withoutSignedUrl(entry), joined: joined || undefined };
  const content = JSON.stringify(fields).slice(0, -1);
  return `${content}${seal(content)}\n`;
}

const joinedMark = ',"joined":true';

/** Start of a line that `lineOf` wrote. */
const idStart = '{"id":"';
const [quote, backslash, lineBreak] = [0x22, 0x5c, 0x0a];

/** Returns the id of a line, without parsing its other fields, which takes most of the time of a long journal. */
function readId(line: Buffer): string | undefined {
  if (!hasSeal(line)) return undefined;
  const end = line.indexOf(quote, idStart.length);
  const id = line.subarray(0, end);
  // An entry of another program can have its fields in another order.
  return line.toString("latin1", 0, idStart.length) === idStart && !id.includes(backslash)
    ? id.toString("utf8", idStart.length)
    : (readLine(line)?.entry.id ?? "");
}

function isJoined(line: Buffer): boolean {
  const end = line.length - sealLength;
  return line.toString("latin1", end - joinedMark.length, end) === joinedMark;
}

function hasSeal(line: Buffer): boolean {
  const end = seal(line.subarray(0, -sealLength));
  return line.toString("latin1", line.length - sealLength) === end;
}

export function readLine(line: Buffer) {
  if (!hasSeal(line)) return undefined;
  const end = line.length - sealLength - (isJoined(line) ? joinedMark.length : 0);
  // The checksum matches, so lineOf wrote the line.
  return { entry: JSON.parse(`${line.toString("utf8", 0, end)}}`) as JournalEntry };
}

function seal(content: string | Uint8Array): string {
  return `,"sum":"${sha256(content).slice(0, 8)}"}`;
}

/** Takes half of the time in one call, which Node has since 20.12. */
function sha256(content: string | Uint8Array): string {
  const { hash } = crypto as Partial<typeof crypto>;
  return hash?.("sha256", content) ?? crypto.createHash("sha256").update(content).digest("hex");
}

const sealLength = seal("").length;

/**
 * Reads a journal. Ignores an incomplete last line: its `put` never resolved, so nothing was sent because of it.
 *
 * @returns the place of each item's last line by id, the position of the next line in bytes, and the text to write there
 * first
 * @throws `invalid_config` if the file has another format, is from a newer release, or has damage before the last write
 */
export async function readContents(file: FileHandle, path: string) {
  const lines = new NumberMap();
  let [end, missing] = [0, `${header}\n`];
  let [number, damagedLine] = [0, 0];
  /** If true, a crash can have left the damage: the line is incomplete, or has zeros that were never overwritten. */
  let isUnwritten = true;
  for await (const read of linesOf(file, 0, longRead)) {
    for (const { bytes, start, isWhole } of read) {
      number += 1;
      const id = readId(bytes);
      if (damagedLine > 0) {
        // This line begins a later write, so everything before it was on disk.
        if (id !== undefined && !isJoined(bytes)) isUnwritten = false;
        continue;
      }
      if (number === 1) {
        const text = bytes.toString("latin1");
        // After a crash, a file can have only a part of the header.
        if (!isWhole && header.startsWith(text)) break;
        if (text !== header && text.startsWith(kind) && text.endsWith("}")) {
          throw journalError(
            `The journal ${path} was written by a newer release of @tryon/client.`,
            "Nothing was changed. Update @tryon/client.",
          );
        }
        if (!isWhole || text !== header) {
          throw journalError(
            `${path} is not a journal: its first line differs.`,
            "Nothing was changed. Use the path of a journal or of a new file.",
          );
        }
      } else if (id === undefined) {
        damagedLine = number;
        isUnwritten = !isWhole || bytes.includes(0);
        continue;
      } else {
        lines.set(id, placeOf(start, bytes.length + 1));
      }
      end = start + bytes.length + (isWhole ? 1 : 0);
      missing = isWhole ? "" : "\n";
    }
  }
  if (isUnwritten) return { lines, end, missing };
  throw journalError(
    `The journal ${path} is damaged in line ${damagedLine}: its checksum does not match.`,
    "Nothing was changed. Restore a copy of the file: with a new journal, the batch could pay for items again.",
  );
}

/** Unit of the length in a place in bytes, and the maximum number of units. Longer lines take several reads. */
const [unit, maxUnits] = [16, 4_095];

/** Returns the place of a line as one number: the position of the line, and its length in units. */
export function placeOf(start: number, length: number): number {
  return start * (maxUnits + 1) + Math.min(maxUnits, Math.ceil(length / unit));
}

export function startOf(place: number): number {
  return Math.floor(place / (maxUnits + 1));
}

/** Returns the length of a line, rounded up. */
export function lengthOf(place: number): number {
  return (place % (maxUnits + 1)) * unit;
}

/** Bytes that are read at once from a whole file. */
export const longRead = 2 ** 18;

interface Line {
  readonly bytes: Buffer;
  readonly start: number;
  readonly isWhole: boolean;
}

/**
 * Yields the lines of each read of a file from a position, without their line breaks. If the last one has none, it is not
 * whole.
 *
 * @param chunk - Bytes that are read at once.
 */
export async function* linesOf(
  file: FileHandle,
  from: number,
  chunk: number,
): AsyncGenerator<readonly Line[], void, undefined> {
  let rest = Buffer.alloc(0);
  let start = from;
  for (;;) {
    const position = start + rest.length;
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(chunk), position });
    if (bytesRead === 0) break;
    const read = buffer.subarray(0, bytesRead);
    const bytes = rest.length > 0 ? Buffer.concat([rest, read]) : read;
    const lines: Line[] = [];
    let end = bytes.indexOf(lineBreak, rest.length);
    let begin = 0;
    for (; end !== -1; end = bytes.indexOf(lineBreak, begin)) {
      lines.push({ bytes: bytes.subarray(begin, end), start: start + begin, isWhole: true });
      begin = end + 1;
    }
    start += begin;
    rest = bytes.subarray(begin);
    yield lines;
    // The first line is longer than the header of a journal.
    if (start === 0 && rest.length >= chunk) break;
  }
  if (rest.length > 0) yield [{ bytes: rest, start, isWhole: false }];
}

export function journalError(message: string, hint: string, cause?: unknown): ConfigError {
  const error = new ConfigError("invalid_config", message, hint);
  // Not enumerable, so that logs omit it.
  if (cause !== undefined) Object.defineProperty(error, "cause", { value: cause });
  return error;
}

export function systemCode(error: unknown): string | undefined {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}
