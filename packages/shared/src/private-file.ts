import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
} from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

const mode = 0o600;

/**
 * Returns the path of a new file beside another one. Its name is random, because a link with a known name could lead to
 * another file.
 */
const draftOf = (path: string): string => `${path}.${randomUUID()}.tmp`;

/**
 * Writes a file that only its owner can read, and flushes it. Replaces an earlier file, or a link, at once or not at all.
 *
 * @throws Error of the system. The earlier file is then unchanged.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = draftOf(path);
  try {
    // Stryker disable next-line StringLiteral,BooleanLiteral: shown only by a name that an attacker has guessed, or a power failure.
    await writeFile(draft, text, { flag: "wx", mode, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  // A power failure must not bring back the old file.
  // Stryker disable next-line all: shown only by a power failure.
  await syncFolder(dirname(path));
}

/** Flushes a folder, without which its new files can be missing after a power failure. Windows cannot open folders. */
// Stryker disable next-line BlockStatement: shown only by a power failure.
export async function syncFolder(path: string): Promise<void> {
  // Stryker disable next-line all: shown only by a power failure, or on Windows.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  // Stryker disable next-line BlockStatement: shown only by a power failure.
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Creates an empty file that only its owner can read, and returns its descriptor. Replaces an earlier file.
 *
 * @throws Error of the system. Its code is `ELOOP` if the path is a link, or another thing than a file with one name.
 */
export function createPrivateFile(path: string): number {
  rejectSpecial(path, lstatSync(path, { throwIfNoEntry: false }));
  const draft = draftOf(path);
  const file = openSync(draft, "wx", mode);
  try {
    renameSync(draft, path);
  } catch (error) {
    closeSync(file);
    rmSync(draft);
    throw error;
  }
  return file;
}

/**
 * Opens a file to append to it, creates it if it is missing, and returns its descriptor. From then on, only its owner can
 * read it.
 *
 * @throws Error of the system. Its code is `ELOOP` if the path is a link, or another thing than a file with one name.
 */
export function appendPrivateFile(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Never blocks on a pipe. Windows has no O_NOFOLLOW and no O_NONBLOCK.
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  const file = openSync(path, flags, mode);
  try {
    rejectSpecial(path, fstatSync(file));
    fchmodSync(file, mode);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/**
 * Creates a file that only its owner can read if it is missing. Leaves an existing file as it is. Does not open it, because
 * that would release its locks.
 *
 * @throws Error of the system. Its code is `ELOOP` if the path is a link, or another thing than a file with one name.
 */
export function ensurePrivateFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) closeSync(appendPrivateFile(path));
  else rejectSpecial(path, found);
}

/** Does the same, and makes an existing file readable for its owner only. */
export function makePrivate(path: string): void {
  ensurePrivateFile(path);
  chmodSync(path, mode);
}

/** Rejects all but a regular file with one name, since another name can belong to a file of another program. */
function rejectSpecial(path: string, found: Stats | undefined): void {
  if (found === undefined || (found.isFile() && found.nlink === 1)) return;
  throw Object.assign(new Error(`${path} is not a regular file with one name.`), { code: "ELOOP" });
}
