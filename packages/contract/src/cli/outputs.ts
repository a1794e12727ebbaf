import { access, constants, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { UsageError } from "@tryon/command-line";

/**
 * Checks that files can be written, before a run takes credits.
 *
 * @throws UsageError with the file.
 */
export async function rejectUnwritable(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const folder = dirname(resolve(file));
    await access(folder, constants.W_OK).catch(() => {
      throw new UsageError(
        `Cannot write ${file}: the folder ${folder} does not exist or is read-only.`,
      );
    });
    const there = await stat(file).catch(() => undefined);
    if (there?.isDirectory() === true) {
      throw new UsageError(`Cannot write ${file}: it is a folder. Name a file in it.`);
    }
  }
}

/** @throws Error with the file. */
export async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new Error(`Cannot write ${file}.`, { cause: error });
  }
}
