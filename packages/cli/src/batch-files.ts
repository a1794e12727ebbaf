import { createReadStream } from "node:fs";
import { readdir, realpath, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";

import type { TryOn } from "@tryon/client";
import { PngWalker } from "@tryon/client/images/png-walker";
import { UsageError } from "@tryon/cli-kit";
import { writePrivateFile } from "@tryon/shared/private-file";

import { fold, hasEnded, type KnownItem } from "./batch-ids.ts";
import { openRow, readRows, toInput, type BatchRow, type FileRow } from "./batch-rows.ts";
import { checkWritable, isPresent, isUrl } from "./images.ts";

export function journalPath(out: string): string {
  return `${out}.journal.ndjson`;
}

export function imagePath(out: string, { id }: { readonly id: string }): string {
  return join(out, `${id}.png`);
}

/** Rejects outputs that are inputs: the file of rows, or an image of a row. */
export async function checkInputs(
  out: string,
  file: string,
  rows: readonly FileRow[],
): Promise<void> {
  const images = rows.flatMap(({ person, garments }) => [person, ...garments]);
  const outputs = [journalPath(out), resultsPath(out), ...(await findImages(out, rows))];
  const inputs = new Set([file, ...images.filter((image) => !isUrl(image))]);
  const next = "Use another --out, or other ids.";
  rejectReplaced(await findSame(outputs, [...inputs]), "of its input", next);
}

/** Returns the paths of the images that may exist. Reads the folder once, since there can be a million rows. */
async function findImages(out: string, rows: readonly FileRow[]): Promise<readonly string[]> {
  const files = new Set((await readdir(out).catch(() => [])).map(fold));
  return rows.flatMap(({ id }) =>
    id !== undefined && files.has(fold(`${id}.png`)) ? [imagePath(out, { id })] : [],
  );
}

/** Rejects files that a run would replace. A file of an ended try-on stays as it is. */
export async function checkImages(
  out: string,
  rows: readonly BatchRow[],
  known: ReadonlyMap<string, KnownItem>,
): Promise<void> {
  const unended = rows.filter(({ id }) => !hasEnded(known.get(id)));
  const replaced: string[] = [];
  for (const path of await findImages(out, unended)) {
    if (await isPresent(path)) replaced.push(path);
  }
  const next = "Use another --out, or move these files.";
  rejectReplaced(replaced, "that no earlier run has made", next);
}

/**
 * Rejects a row that the client would not send: a missing file, a file that is not an image, a wrong field.
 *
 * @throws UsageError with the line.
 */
export async function checkRows(
  rows: readonly FileRow[],
  file: string,
  tryon: TryOn,
): Promise<void> {
  for (const row of rows) {
    const issues = await tryon.validate(await openRow(row, file));
    const issue = issues.find(({ severity }) => severity === "error");
    if (issue === undefined) continue;
    const problem = issue.message.replace(/^output_/, "");
    throw new UsageError(`${file} line ${row.line}: ${problem}`);
  }
}

/** Expected bytes of an image, by its size. Photos compress badly as PNG. */
const imageBytes: Readonly<Record<string, number>> = { "2K": 8e6, "4K": 30e6 };

/**
 * Writes a file into the folder of the images, with the longest name that a run needs, and removes it.
 *
 * @returns a warning if the images may not fit.
 * @throws UsageError if the file cannot be written.
 */
export async function checkFolder(
  out: string,
  rows: readonly BatchRow[],
): Promise<string | undefined> {
  if (rows.length === 0) return undefined;
  const longest = rows.reduce((max, row) =>
    Buffer.byteLength(row.id) > Buffer.byteLength(max.id) ? row : max,
  );
  await checkWritable("the folder of --out", out, imagePath(out, longest));
  const needed = rows.reduce((sum, { size = "" }) => sum + (imageBytes[size] ?? 2e6), 0);
  // Some file systems do not report it.
  const space = await statfs(out).catch(() => undefined);
  const left = space ? space.bavail * space.bsize : Infinity;
  if (left >= needed) return undefined;
  const [free, need] = [left, needed].map((bytes) => Number((bytes / 1e9).toPrecision(2)));
  return `Warning: the images may need ${need} GB, and the folder of --out has ${free} GB. Images that do not fit are saved by another run, without a charge.`;
}

/**
 * Checks a file that an earlier run should have saved.
 *
 * @param size - Bytes of the image, if the service has stated them.
 * @returns why it is not the image.
 */
export async function findDamage(
  path: string,
  size: number | undefined,
): Promise<string | undefined> {
  const walker = new PngWalker();
  let read = 0;
  for await (const chunk of createReadStream(path)) {
    // A stream without an encoding yields bytes.
    const bytes = chunk as Buffer;
    read += bytes.length;
    walker.push(bytes);
  }
  if (!walker.isComplete) return "is not a whole PNG";
  if (size !== undefined && size !== read) return `has ${read} bytes instead of ${size}`;
  return undefined;
}

/** Names of the columns of the results, before those that `--keep-columns` keeps. */
const resultColumns = ["id", "status", "job_id", "path", "cost_credits", "error"] as const;

export function resultsPath(out: string): string {
  return `${out}.results.csv`;
}

/** Outcome of a row. */
export interface Outcome {
  readonly id: string;
  /** `not_run` if nothing was sent, since the batch had stopped or the limit was reached. */
  readonly status: "succeeded" | "failed" | "not_run";
  readonly job_id?: string | undefined;
  readonly path?: string | undefined;
  /** Cost of all jobs. */
  readonly cost_credits?: number | undefined;
  readonly attempts: number;
  readonly from_journal: boolean;
  readonly error?:
    | {
        readonly code: string;
        /** Reason of a failed job, as the service states it. */
        readonly reason?: string | undefined;
        readonly message: string;
      }
    | undefined;
  readonly columns: FileRow["columns"];
}

/** Rejects results that would replace a file of the user, or have two columns of one name. */
export async function checkResults(out: string, rows: readonly FileRow[]): Promise<void> {
  const names = new Set(rows.flatMap(({ columns }) => Object.keys(columns ?? {})));
  const name = resultColumns.find((column) => names.has(column));
  if (name !== undefined) {
    throw new UsageError(`the results have another column ${name}. Rename it in the file.`);
  }
  const path = resultsPath(out);
  if (!(await isPresent(path))) return;
  let start = "";
  for await (const chunk of createReadStream(path, { end: 99 })) start += String(chunk);
  if (!start.startsWith(resultColumns.join()))
    rejectReplaced([path], "that is not of its results", "Move it.");
}

/** Replaces the results: CSV in UTF-8, one row for each row of the input. */
export async function writeResults(out: string, results: readonly Outcome[]): Promise<void> {
  const kept = new Set(results.flatMap(({ columns }) => Object.keys(columns ?? {})));
  const rows = results.map(({ columns, error, ...result }) => {
    const own = Object.entries({ ...result, error: error?.reason ?? error?.code });
    const values = new Map<string, unknown>([...Object.entries(columns ?? {}), ...own]);
    return [...resultColumns, ...kept].map((name) => values.get(name) ?? "");
  });
  const lines = [[...resultColumns, ...kept], ...rows].map((row) => row.map(toCell).join());
  await writePrivateFile(resultsPath(out), `${lines.join("\n")}\n`);
}

function toCell(value: unknown): string {
  return csvCell(typeof value === "string" ? value : JSON.stringify(value));
}

/** Returns a text as a cell of CSV. */
export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Replaces the file of failures of an input. If nothing is left to do, removes it.
 *
 * @returns the path of the file, if it has rows.
 */
export async function writeFailures(
  path: string,
  rows: readonly object[],
): Promise<string | undefined> {
  if (rows.length === 0) {
    await rm(path, { force: true });
    return undefined;
  }
  // URLs of images can be signed.
  await writePrivateFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return path;
}

/**
 * Finds the path for the failures of an input: the first one after the input that has no file, or a file whose rows are
 * all rows of the input. So neither the input nor rows of another input are lost.
 */
export async function findFailuresPath(
  out: string,
  file: string,
  rows: readonly BatchRow[],
): Promise<string> {
  const own = new Set(rows.map((row) => JSON.stringify(toInput(row))));
  let found: string | undefined;
  for (let number = 1; ; number += 1) {
    const path = `${out}.failures${number === 1 ? "" : `-${number}`}.ndjson`;
    if (!(await isPresent(path))) return found ?? path;
    // A file without valid rows belongs to the user.
    const others = await readRows(path, { keepColumns: true }).catch(() => undefined);
    if ((await findSame([path], [file])).length > 0) found = undefined;
    else if (others?.every((row) => own.has(JSON.stringify(toInput(row)))) === true) found ??= path;
  }
}

function rejectReplaced(paths: readonly string[], what: string, next: string): void {
  const { length } = paths;
  if (length === 0) return;
  const more = length > 3 ? ` and ${length - 3} more` : "";
  throw new UsageError(
    `the batch would replace ${length} file${length === 1 ? "" : "s"} ${what}: ${paths.slice(0, 3).join(", ")}${more}. ${next}`,
  );
}

/** Returns the paths that lead to one of the files, by any name: through links, and in another case if that is ignored. */
async function findSame(
  paths: readonly string[],
  files: readonly string[],
): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const file of files) for (const name of await namesOf(file)) names.add(name);
  const same: string[] = [];
  for (const path of paths) {
    if ((await namesOf(path)).some((name) => names.has(name))) same.push(path);
  }
  return same;
}

async function namesOf(path: string): Promise<readonly string[]> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return [];
  const { dev, ino } = await stat(real, { bigint: true });
  // Some network drives have no inodes.
  return ino === 0n ? [real] : [real, `${dev}:${ino}`];
}
