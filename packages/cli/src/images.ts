import { openAsBlob } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { UsageError } from "@tryon/command-line";

/**
 * Opens an image of a command line: an https URL stays as it is, anything else is the path of a file.
 *
 * @param name - Name of the image in errors, such as `--person`.
 * @param folder - Folder of relative paths. @default the current one
 * @throws UsageError if the file does not exist.
 */
export async function openImage(name: string, value: string, folder = "."): Promise<string | Blob> {
  if (isUrl(value)) return value;
  const path = resolve(folder, value);
  const file = await stat(path).catch(() => undefined);
  if (file?.isFile() === true) return openAsBlob(path);
  throw new UsageError(
    `${name} is not ${file ? "a file" : "an existing file"}: ${value}. Use the path of an image, or an https URL.`,
  );
}

/** Returns true for a URL. */
export function isUrl(value: string): boolean {
  return /^(?:https?|data):/i.test(value);
}

/** Rejects a file whose folder does not exist, or that would replace another file, before anything is paid. */
export async function checkOutput(flag: string, path: string): Promise<void> {
  const folder = await stat(dirname(resolve(path))).catch(() => undefined);
  if (folder?.isDirectory() !== true) {
    throw new UsageError(
      `the folder of ${flag} does not exist: ${dirname(path)}. Create it first.`,
    );
  }
  if (!(await isPresent(path))) return;
  throw new UsageError(
    `${flag} would replace an existing file: ${path}. Use another path, or move that file.`,
  );
}

/** Rejects a command that would replace files, with their number and the first of them. */
export function rejectReplaced(paths: readonly string[], what: string, next: string): void {
  const { length } = paths;
  if (length === 0) return;
  const more = length > 3 ? ` and ${length - 3} more` : "";
  throw new UsageError(
    `the batch would replace ${length} file${length === 1 ? "" : "s"} ${what}: ${paths.slice(0, 3).join(", ")}${more}. ${next}`,
  );
}

/** Returns true if a path exists, also if it is a link that leads nowhere. */
export async function isPresent(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Returns the paths that lead to one of the files, by any name: through links, and in another case if that is ignored. */
export async function findSame(
  paths: readonly string[],
  files: readonly string[],
): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const file of files) for (const name of await namesOf(file)) names.add(name);
  const same: string[] = [];
  for (const path of paths)
    if ((await namesOf(path)).some((name) => names.has(name))) same.push(path);
  return same;
}

/** Returns what identifies a file: its real path, and its device and inode, which all its names share. */
async function namesOf(path: string): Promise<readonly string[]> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return [];
  const { dev, ino } = await stat(real, { bigint: true });
  // Some network drives have no inodes.
  return ino === 0n ? [real] : [real, `${dev}:${ino}`];
}
