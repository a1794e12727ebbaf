import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, open, readFile, rename, rm, type FileHandle } from "node:fs/promises";
import { hostname } from "node:os";

import { journalError, systemCode } from "./journal-error.ts";

/** Process that holds a lock. */
interface Holder {
  /** UUID of the lock. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** Boot id and start time of the process, if known, since the system reuses process ids. */
  readonly startedAt: string | null;
}

/** Maximum size of a lock file in bytes. */
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
  const id = randomUUID();
  const startedAt = (await stateOf(process.pid))?.startedAt ?? null;
  const own: Holder = { id, pid: process.pid, host: hostname(), startedAt };
  const draft = `${path}.${id}.new`;
  await write(draft, JSON.stringify(own));
  try {
    while (!(await linked(draft, path))) {
      const holder = await readHolder(path);
      if (holder === undefined) continue;
      await rejectIfRunning(journal, path, holder);
      const release = await takeLock(journal, `${path}.${holder.id}`);
      try {
        if ((await readHolder(path))?.id !== holder.id) continue;
        await rename(draft, path);
        break;
      } finally {
        await release();
      }
    }
  } finally {
    await rm(draft, { force: true });
  }
  return async () => {
    // The file may have been deleted, and another process may hold a new lock.
    if ((await readHolder(path))?.id === id) await rm(path, { force: true });
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

/** Takes a free lock. Returns false if it exists. */
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
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: FileHandle | undefined;
  let text = "";
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const found = await file.stat();
    // A pipe, a device or a large file is another kind of file.
    if (found.isFile() && found.size <= maxLockBytes) text = await file.readFile("utf8");
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return undefined;
    // ELOOP: the path is a link.
    if (code !== "ELOOP") throw error;
  } finally {
    await file?.close();
  }
  const holder = parseHolder(text);
  if (holder !== undefined) return holder;
  throw journalError(
    `${path} exists and is not the lock of a journal.`,
    "If no process uses the journal, delete the file.",
  );
}

/** Parses the content of a lock file. Returns undefined for any other content. */
function parseHolder(text: string): Holder | undefined {
  try {
    const { id, pid, host, startedAt } = Object(JSON.parse(text)) as Partial<Holder>;
    // The id becomes part of a path.
    if (typeof id !== "string" || !/^[\da-f-]{36}$/.test(id)) return undefined;
    if (typeof host !== "string" || !Number.isInteger(pid)) return undefined;
    return { id, pid: Number(pid), host, startedAt: startedAt ?? null };
  } catch {
    return undefined;
  }
}

/** Rejects unless the holder of a lock has ended. */
async function rejectIfRunning(journal: string, path: string, holder: Holder): Promise<void> {
  const { pid, host, startedAt } = holder;
  if (host !== hostname()) {
    throw journalError(
      `The journal ${journal} is in use by process ${pid} on another host, ${host}.`,
      `Two processes could pay twice. Delete ${path} once you are sure that this process has ended.`,
    );
  }
  const state = exists(pid) ? await stateOf(pid) : { hasEnded: true, startedAt };
  if (state?.hasEnded === true) return;
  if (state && startedAt !== null && startedAt !== state.startedAt) return;
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

function exists(pid: number): boolean {
  try {
    // Signal 0 only checks that the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists, too.
    return systemCode(error) !== "ESRCH";
  }
}

/** Reads the boot id, start time and state of a process. Works on Linux only. */
async function stateOf(pid: number) {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "latin1");
    // The program name is in brackets, and can contain brackets and spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { startedAt: `${boot.trim()} ${fields[19]}`, hasEnded: /[ZX]/.test(fields[0] ?? "") };
  } catch {
    return undefined;
  }
}
