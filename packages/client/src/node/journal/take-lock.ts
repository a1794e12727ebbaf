import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import {
  link,
  open,
  readFile,
  readlink,
  rename,
  rm,
  writeFile,
  type FileHandle,
} from "node:fs/promises";
import { hostname } from "node:os";

import { journalError, systemCode } from "./journal-line.ts";

interface Holder {
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** Namespace of the process id. Empty if unknown. */
  readonly namespace: string;
  /** Boot id and start time of the process, since the system reuses process ids. Empty if unknown. */
  readonly startedAt: string;
}

/**
 * Takes the lock of a journal, which limits the journal to one process, and returns a function that releases it. Replaces
 * the lock of a process that has ended. Only a process of the same host and PID namespace can be checked, so any other lock
 * stays.
 *
 * A lock file appears complete, as a link to a file written before. To replace a lock, a process first takes a second lock
 * named after the first one. So only one of several processes replaces it, and the others find the new lock. If a process is
 * killed meanwhile, its second lock is replaced in the same way.
 *
 * @throws `invalid_config` if another process holds the lock, or may hold it. The message names the process and the lock.
 */
export async function takeLock(journal: string, path = `${journal}.lock`) {
  const id = randomUUID();
  const { pid } = process;
  const [namespace, startedAt] = await Promise.all([pidNamespace(), startOf(pid)]);
  const own: Holder = { id, pid, host: hostname(), namespace, startedAt };
  const draft = `${path}.${id}.new`;
  try {
    // A power failure must not leave an empty lock.
    await writeFile(draft, JSON.stringify(own), { flag: "wx", mode: 0o600, flush: true });
    while (!(await link(draft, path).then(() => true, falseIfTaken))) {
      const holder = await readHolder(path);
      if (holder === undefined) continue;
      await rejectIfRunning(journal, path, holder, own);
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
  return async (): Promise<void> => {
    // The file may have been deleted, and another process may hold a new lock.
    if ((await readHolder(path))?.id === id) await rm(path, { force: true });
  };
}

function falseIfTaken(error: unknown): false {
  if (systemCode(error) === "EEXIST") return false;
  throw error;
}

async function readHolder(path: string): Promise<Holder | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: FileHandle | undefined;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const holder = JSON.parse(await file.readFile("utf8")) as Holder;
    // Also rejects other contents: the id becomes part of a path.
    if (/^[\da-f-]{36}$/.test(holder.id) && Number.isInteger(holder.pid)) return holder;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return undefined;
    // Links, folders and other text are rejected below.
    if (code !== undefined && code !== "ELOOP" && code !== "EISDIR") throw error;
  } finally {
    await file?.close();
  }
  throw journalError(
    `${path} exists and is not the lock of a journal.`,
    "If no process uses the journal, delete the file.",
  );
}

async function rejectIfRunning(
  journal: string,
  path: string,
  { pid, host, namespace, startedAt }: Holder,
  own: Holder,
): Promise<void> {
  if (host !== own.host || namespace !== own.namespace || namespace === "") {
    const problem =
      host === own.host
        ? `was locked by process ${pid}, possibly in another container, on another host named ${host}, or before a restart`
        : `is in use by process ${pid} on another host, ${host}`;
    throw journalError(
      `The journal ${journal} ${problem}.`,
      `Two processes could pay twice. Delete ${path} once you are sure that this process has ended.`,
    );
  }
  const found = await startOf(pid);
  if (found === ended || (found && startedAt && found !== startedAt)) return;
  if (pid === own.pid) {
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

const bootId = "/proc/sys/kernel/random/boot_id";

/**
 * Returns the namespace of the process ids of this process. Two processes with the same one get the same start time for each
 * process id. Returns an empty text if the system does not show it.
 */
async function pidNamespace(): Promise<string> {
  const { pid, platform } = process;
  // These systems have none.
  if (platform === "darwin" || platform === "win32") return platform;
  try {
    // Another kernel can use the same number for a namespace.
    const boot = await readFile(bootId, "latin1");
    const processes = await readlink("/proc/self/ns/pid");
    // Start times depend on the time namespace. Linux before 5.6 has none.
    const times = await readlink("/proc/self/ns/time").catch(() => "");
    // Without its own /proc, a container gets the processes of its host.
    const isOwn = (await readlink("/proc/self")) === String(pid);
    return isOwn ? `${boot.trim()} ${processes} ${times}`.trim() : "";
  } catch {
    return "";
  }
}

const ended = "ended";

/** Returns the boot id and the start time of a process, empty if they are unknown, or {@link ended}. */
async function startOf(pid: number): Promise<string> {
  try {
    // Linux only.
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    const boot = await readFile(bootId, "latin1");
    // The program name is in brackets, and can contain brackets and spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return /[ZX]/.test(fields[0] ?? "") ? ended : `${boot.trim()} ${fields[19]}`;
  } catch {
    try {
      // Signal 0 only checks that the process exists.
      process.kill(pid, 0);
    } catch (error) {
      // A process of another user exists, too.
      if (systemCode(error) === "ESRCH") return ended;
    }
    return "";
  }
}
