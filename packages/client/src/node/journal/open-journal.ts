import { constants } from "node:fs";
import { open, realpath, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { append, FileJournal } from "./file-journal.ts";
import { journalError, systemCode } from "./journal-error.ts";
import { readContents } from "./read-contents.ts";
import { takeLock, type Release } from "./take-lock.ts";

/**
 * Opens a file as the journal of a batch, and creates the file if it does not exist. After a crash, run the batch again
 * with the same file: it continues and never pays twice. The file contains no image, API key or signed URL. Only its
 * owner can read it.
 *
 * One process at a time can open the journal. A lock file with the suffix `.lock` ensures this. The lock of a killed
 * process is replaced.
 *
 * @param path - Path of the file, on a local disk. Its folder must exist. Links are rejected.
 * @throws `invalid_config` if another process has the journal open, if the file is another kind of file, from a newer
 * release or damaged, or if the system reports an error. The message names the process, the line or the system error.
 * @example
 * import { TryOn } from "@tryon/client";
 * import { batch } from "@tryon/client/batch";
 * import { openJournal } from "@tryon/client/node";
 *
 * const journal = await openJournal("spring.ndjson");
 * try {
 *   for await (const item of batch(new TryOn(), inputs, { id: ({ sku }) => sku, journal })) console.log(item.id);
 * } finally {
 *   await journal.close();
 * }
 */
export async function openJournal(path: string | URL): Promise<FileJournal> {
  const given = typeof path === "string" ? path : fileURLToPath(path);
  try {
    // The file must exist before its real path can be resolved: every path must lead to one lock.
    await (await openFile(given)).close();
    const real = await realpath(given);
    const release = await takeLock(real);
    return await openLocked(real, release).catch(async (error: unknown) => {
      await release();
      throw error;
    });
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || code === "invalid_config") throw error;
    const hint = hints[code] ?? defaultHint;
    throw journalError(`The journal ${given} cannot be opened (${code}).`, hint, error);
  }
}

const defaultHint = "Use a file on a local disk, in a folder that this user can read and write.";

const hints: Readonly<Record<string, string>> = {
  ELOOP: "The path is a link. Use the path of the file.",
  ENOENT: "Create its folder first.",
  EISDIR: "The path is a folder. Use the path of a file.",
  ENOSPC: "Free space on the disk.",
};

async function openLocked(path: string, release: Release): Promise<FileJournal> {
  const file = await openFile(path);
  try {
    const { lines, end, missing } = await readContents(file, path);
    // An older or copied file may have another mode.
    await file.chmod(mode);
    await file.truncate(end);
    await append(file, missing);
    await syncFolder(dirname(path));
    return new FileJournal({ path, file, release }, { lines, end: end + missing.length });
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** File mode of journals: only the owner can read and write. */
const mode = 0o600;

/** Opens a regular file with one name, since each name would have its own lock. Never blocks on a pipe or device. */
async function openFile(path: string): Promise<FileHandle> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode);
  const found = await file.stat();
  if (found.isFile() && found.nlink === 1) return file;
  await file.close();
  const why = found.isFile() ? "has several hard links" : "must be a regular file";
  throw journalError(`The journal ${path} ${why}.`, "Use another path.");
}

/** Flushes the folder, without which the file can be missing after a power failure. Windows cannot open folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
