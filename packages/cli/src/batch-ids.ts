import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { relative } from "node:path";

import type { TryOn } from "@tryon/client";
import type { JournalEntry, RetryFailed } from "@tryon/client/batch";
import { digestInput } from "@tryon/client/batch/digest-input";
import { failuresOf, isRetried } from "@tryon/client/batch/retry-failed";
import { UsageError } from "@tryon/cli-kit";
import { writePrivateFile } from "@tryon/shared/private-file";

import { openRow, type BatchRow, type FileRow } from "./batch-rows.ts";
import { isUrl } from "./images.ts";

const maxIdLength = 120;
/** Maximum number of bytes of a file name, as most file systems have it. */
const maxNameBytes = 255;
/** Bytes of a file name after its id, while the image is being written: `.png`, a random id and `.tmp`. */
const endingBytes = ".png..tmp".length + 36;
/** Names of devices on Windows, with any ending. */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$) *(?:\.|$)/i;

const isTooLong = (id: string): boolean =>
  Array.from(id).length > maxIdLength || Buffer.byteLength(id) > maxNameBytes - endingBytes;

/** Returns the same text for names that are one file on macOS or Windows: in another case, or another form of Unicode. */
export const fold = (id: string): string =>
  id.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");

/** Rejects an id that cannot be the name of a file on each system. */
function checkId(id: string, place: string): void {
  const names = `${place}: id names the image:`;
  if (!/^[^\p{C}/\\:*?"<>|.][^\p{C}/\\:*?"<>|]*$/u.test(id) || /[. ]$/.test(id) || isTooLong(id)) {
    throw new UsageError(
      `${names} use up to ${maxIdLength} letters, digits, spaces, hyphens and dots, at most ${maxNameBytes - endingBytes} bytes, none of / \\ : * ? " < > | and no space or dot at its end.`,
    );
  }
  if (device.test(id)) {
    throw new UsageError(`${names} Windows reserves ${id}. Use another one.`);
  }
}

/** Parts of the entry of an item. A failed one that gets another attempt counts as refused. */
export type KnownItem = Pick<JournalEntry, "state" | "digest">;

export function toKnown(entry: JournalEntry, policy: RetryFailed | undefined): KnownItem {
  const { state, digest } = entry;
  const failures = failuresOf(entry);
  if (failures.length === 0) return { state, digest };
  return { state: isRetried(policy, failures) ? "refused" : "failed", digest };
}

/** Returns true if an item of a journal needs no other submission. */
export function hasEnded(item: KnownItem | undefined): boolean {
  return item?.state === "succeeded" || item?.state === "failed";
}

/** Ids of rows without one, by a digest of the row with paths relative to the folder of images. Once a file is deleted, only this leads to the id. */
export type SavedIds = Map<string, string>;

const idsPath = (out: string): string => `${out}.ids.json`;

export async function readIds(out: string): Promise<SavedIds> {
  const text = await readFile(idsPath(out), "utf8").catch(() => "{}");
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
  } catch {
    // Without the file, a row with a deleted image is an error.
    return new Map();
  }
}

export async function writeIds(out: string, ids: SavedIds): Promise<void> {
  if (ids.size > 0) await writePrivateFile(idsPath(out), JSON.stringify(Object.fromEntries(ids)));
}

/**
 * Gives each row without an id one from its content: the fields, URLs and bytes of files, as the journal digests them. So a
 * moved folder has the same ids. Earlier releases derived ids from absolute paths: such items of the journal keep them.
 * Adds the ids to `saved`.
 *
 * @throws UsageError if two rows have one id, or are the same try-on without an id.
 */
export async function assignIds(
  rows: readonly FileRow[],
  file: string,
  out: string,
  known: ReadonlyMap<string, KnownItem>,
  saved: SavedIds,
  tryon: TryOn,
  signal: AbortSignal,
): Promise<readonly BatchRow[]> {
  const byDigest = new Map<string, string>();
  for (const [id, { digest, state }] of known) {
    // A folder that had moved was paid twice.
    const isBest = state === "succeeded" || !byDigest.has(digest);
    if (isBest && /^look-[0-9a-f]{12}$/.test(id)) byDigest.set(digest, id);
  }
  const found: BatchRow[] = [];
  const earlier = new Map<string, FileRow>();
  for (const row of rows) {
    if (row.id !== undefined) checkId(row.id, `${file} line ${row.line}`);
    // Earlier releases made it from absolute paths.
    let { id = `look-${digestOf(row).slice(0, 12)}` } = row;
    if (row.id === undefined && !known.has(id)) {
      const key = digestOf(row, out);
      const earlierId = saved.get(key) ?? "";
      const input = await openRow(row, file).catch((error: unknown) => {
        if (!hasEnded(known.get(earlierId))) throw error;
      });
      const digest = input && (await digestInput(tryon, input, signal)).digest;
      id = digest ? (byDigest.get(digest) ?? `look-${digest.slice(0, 12)}`) : earlierId;
      saved.set(key, id);
    }
    const other = earlier.get(fold(id));
    if (other) {
      const lines = `${file} lines ${other.line} and ${row.line}`;
      throw new UsageError(
        row.id === undefined && other.id === undefined
          ? `${lines} are the same try-on, and have no id. Remove one, or give each its own id.`
          : `${lines} have the same id, ${JSON.stringify(id)}. Give each row its own id: it names the image, and macOS and Windows ignore its case.`,
      );
    }
    earlier.set(fold(id), row);
    found.push({ ...row, id });
  }
  return found;
}

/** Digests a row with the paths of its files, which are relative if a folder is given. */
function digestOf(row: FileRow, folder?: string): string {
  const { size, prompt, negative_prompt, seed } = row;
  const place = (image: string): string =>
    folder === undefined || isUrl(image) ? image : relative(folder, image);
  const [person, garments] = [place(row.person), row.garments.map(place)];
  const content = JSON.stringify({ person, garments, size, prompt, negative_prompt, seed });
  return createHash("sha256").update(content).digest("hex");
}
