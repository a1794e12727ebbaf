import { randomUUID } from "node:crypto";
import { openAsBlob } from "node:fs";
import { lstat, rm, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { UsageError } from "@tryon/cli-kit";

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
  if (await isPresent(path)) {
    throw new UsageError(
      `${flag} would replace an existing file: ${path}. Use another path, or move that file.`,
    );
  }
  await checkWritable(flag, path, path);
}

/** Writes a file beside an image, with the name that the client writes first, and removes it. */
export async function checkWritable(name: string, shown: string, image: string): Promise<void> {
  const probe = `${image}.${randomUUID()}.tmp`;
  try {
    await writeFile(probe, "probe", { flag: "wx", flush: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const next = "Check its rights and its disk, or use another path.";
    throw new UsageError(`${name} cannot be written (${code}): ${shown}. ${next}`);
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

/** Returns true if a path exists, also if it is a link that leads nowhere. */
export async function isPresent(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
