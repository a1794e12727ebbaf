import { realpath, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import type { FileJournal } from "@tryon/client/node";
import { UsageError } from "@tryon/command-line";
import { writePrivateFile } from "@tryon/command-line/private-file";

import { nextIds, readRows, type BatchRow } from "./batch-rows.ts";
import { isPresent, isUrl } from "./images.ts";

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
  rows: readonly BatchRow[],
): Promise<void> {
  const outputs = [journalPath(out), ...rows.map((row) => imagePath(out, row))];
  const images = rows.flatMap(({ person, garments }) => [person, ...garments]);
  const inputs = new Set([file, ...images.filter((image) => !isUrl(image))]);
  const next = "Use another --out, or other ids.";
  rejectReplaced(await findSame(outputs, [...inputs]), "of its input", next);
}

/** Rejects files that a run would replace. A file of an ended try-on stays as it is. */
export async function checkImages(
  out: string,
  rows: readonly BatchRow[],
  journal: FileJournal,
): Promise<void> {
  const replaced: string[] = [];
  for (const row of rows) {
    const path = imagePath(out, row);
    if (!(await isPresent(path))) continue;
    const state = (await journal.get(row.id))?.state;
    if (state !== "succeeded" && state !== "failed") replaced.push(path);
  }
  const next = "Use another --out, or move these files.";
  rejectReplaced(replaced, "that no earlier run has made", next);
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
  const retries = nextIds(rows);
  const own = new Set(
    rows.flatMap((row, at) => [row, { ...row, id: retries[at] }].map((one) => JSON.stringify(one))),
  );
  let found: string | undefined;
  for (let number = 1; ; number += 1) {
    const path = `${out}.failures${number === 1 ? "" : `-${number}`}.ndjson`;
    if (!(await isPresent(path))) return found ?? path;
    // A file without valid rows belongs to the user.
    const others = await readRows(path).catch(() => undefined);
    if ((await findSame([path], [file])).length > 0) found = undefined;
    else if (others?.every((row) => own.has(JSON.stringify(row))) === true) found ??= path;
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
