import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";

import { holderStatus, parseHolder, thisProcess, type Holder } from "./lock-holder.ts";
import { systemCode, journalError } from "./journal-error.ts";

/** Maximum size of a lock file in bytes. It has a UUID, a process id, a host name and a start time. */
const maxLockBytes = 4096;

/** Releases a lock. */
export type Release = () => Promise<void>;

/**
 * Takes the lock of a journal, which limits the journal to one process. Replaces the lock of a process that has ended.
 *
 * A lock file appears complete, as a link to a file written before. To replace a lock, a process first takes a second lock
 * named after the first one. So only one of several processes replaces it, and the others find the new lock. If a process is
 * killed meanwhile, its second lock is replaced in the same way.
 *
 * @throws `invalid_config` if another process holds the lock. The message names the process.
 */
export async function takeLock(journal: string, path = `${journal}.lock`): Promise<Release> {
  const own = await thisProcess(randomUUID());
  const draft = `${path}.${own.id}.new`;
  await write(draft, JSON.stringify(own));
  try {
    for (;;) {
      if (await linked(draft, path)) break;
      const holder = await readHolder(path);
      if (holder === undefined) continue;
      await rejectIfHeld(journal, path, holder);
      const release = await takeLock(journal, `${path}.${holder.id}`);
      try {
        const isStillThere = (await readHolder(path))?.id === holder.id;
        if (isStillThere) {
          await rename(draft, path);
          break;
        }
      } finally {
        await release();
      }
    }
  } finally {
    await rm(draft, { force: true });
  }
  return async () => {
    // The file may have been deleted, and another process may hold a new lock.
    if ((await readHolder(path))?.id === own.id) await rm(path, { force: true });
  };
}

async function write(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    // A power failure must not leave an empty lock.
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Tries to take a free lock. Returns false if it exists. */
async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Reads the holder of a lock. Returns undefined if the lock is free. */
async function readHolder(path: string): Promise<Holder | undefined> {
  let text = "";
  try {
    text = await readLock(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return undefined;
    // ELOOP: the path is a link.
    if (code !== "ELOOP") throw error;
  }
  const holder = parseHolder(text);
  if (holder !== undefined) return holder;
  throw journalError(
    `${path} exists and is not the lock of a journal.`,
    "If no process uses the journal, delete the file.",
  );
}

/** Reads a lock file. Returns an empty string for a pipe, a device or a file that is too large. */
async function readLock(path: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= maxLockBytes ? await file.readFile("utf8") : "";
  } finally {
    await file.close();
  }
}

async function rejectIfHeld(journal: string, path: string, holder: Holder): Promise<void> {
  const { pid, host } = holder;
  const status = await holderStatus(holder);
  if (status === "gone") return;
  if (status === "unknown") {
    throw journalError(
      `The journal ${journal} is in use by process ${pid} on another host, ${host}.`,
      `Two processes could pay twice. Delete ${path} once you are sure that this process has ended.`,
    );
  }
  if (pid === process.pid) {
    throw journalError(
      `The journal ${journal} is already open in this process (${pid}).`,
      "Close it before you open it again: only one batch at a time can use a journal.",
    );
  }
  throw journalError(
    `The journal ${journal} is in use by process ${pid}.`,
    `Two processes could pay twice: wait until it ends. If the id now belongs to another program, delete ${path}.`,
  );
}
