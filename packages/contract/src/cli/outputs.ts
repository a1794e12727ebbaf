import { access, constants, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { UsageError } from "./flags.ts";

/**
 * Makes sure that files can be written before anything is spent on what is to stand in them.
 *
 * @throws UsageError naming the file.
 */
export async function rejectUnwritable(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const folder = dirname(resolve(file));
    await access(folder, constants.W_OK).catch(() => {
      throw new UsageError(`Cannot write ${file}: there is no folder ${folder} to write to.`);
    });
    const there = await stat(file).catch(() => undefined);
    if (there?.isDirectory() === true) {
      throw new UsageError(`Cannot write ${file}: it is a folder; name a file in it.`);
    }
  }
}

/** @throws Error naming the file. */
export async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot write ${file}: ${reason}.`, { cause: error });
  }
}
