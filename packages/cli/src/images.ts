import { openAsBlob } from "node:fs";
import { lstat, stat } from "node:fs/promises";
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

/** Returns true if a path exists, also if it is a link that leads nowhere. */
export async function isPresent(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
