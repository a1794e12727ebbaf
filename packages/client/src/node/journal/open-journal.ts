import { constants } from "node:fs";
import { open, realpath, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { append, FileJournal } from "./file-journal.ts";
import { takeLock } from "./lock.ts";
import { readContents } from "./read-contents.ts";
import { systemCode, trouble } from "./trouble.ts";

/**
 * Opens the journal of a batch in a file, and makes the file if there is none. Run again with it after a crash, a batch goes
 * on where it was and pays for nothing twice. The file holds no image, no API key and no signed address, and only its owner
 * can read it. While it is open it belongs to this process: beside it stands a file of the same name with `.lock`, which is
 * taken over from a process that was killed.
 *
 * @param path - The file; its folder has to exist, on a disk of this machine. A link is refused.
 * @throws `invalid_config` when another process has it open (which one), when it is no journal, of a newer release or damaged
 * (in which line), or when the system refuses
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
    return await openHere(given);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || code === "invalid_config") throw error;
    const hint = ways[code] ?? elsewhere;
    throw trouble(`The journal ${given} cannot be opened (${code}).`, hint, error);
  }
}

const elsewhere =
  "Give a file on a disk of this machine, in a folder that this user may read and write.";

const ways: Readonly<Record<string, string>> = {
  ELOOP: "That is a link: give the path of the file itself.",
  ENOENT: "Make its folder first.",
  EISDIR: "That is a folder: give the path of a file.",
  ENOSPC: "Make room on the disk.",
};

async function openHere(given: string): Promise<FileJournal> {
  // The file first, so that every path that leads to it leads to one lock.
  const made = await openFile(given);
  await made.close();
  const path = await realpath(given);
  const release = await takeLock(path);
  let file: FileHandle | undefined;
  try {
    file = await openFile(path);
    const contents = await readContents(file, path);
    const { missing } = contents;
    // An older file, or one that was copied, may have another mode.
    await file.chmod(mode);
    await file.truncate(contents.end);
    await append(file, missing);
    await syncFolder(dirname(path));
    const end = contents.end + missing.length;
    return new FileJournal({ path, file, release }, { lines: contents.lines, end });
  } catch (error) {
    await file?.close();
    await release();
    throw error;
  }
}

/** Only its owner may read and write a journal. */
const mode = 0o600;

/** Opens a file that has one name, since each name would have a lock. A pipe or a device is refused without waiting. */
async function openFile(path: string): Promise<FileHandle> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode);
  const found = await file.stat();
  if (found.isFile() && found.nlink === 1) return file;
  await file.close();
  const why = found.isFile() ? "the file has several names" : "it is no file";
  throw trouble(`The journal ${path} cannot be kept there: ${why}.`, "Give another path.");
}

/** Without this the file itself can be missing when the machine has stopped; where folders cannot be opened, it cannot. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
