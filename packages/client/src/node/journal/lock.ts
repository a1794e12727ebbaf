import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";

import { fateOf, parseHolder, thisProcess, type Holder } from "./holder.ts";
import { systemCode, trouble } from "./trouble.ts";

/** More than any lock has: an id, a number, a host name and a start time. */
const maxLockBytes = 4096;

/** Gives a lock back. */
export type Release = () => Promise<void>;

/**
 * Takes the lock that keeps a journal to one process, from a process that is gone if need be.
 *
 * A lock appears whole, by a link to a file that is written before. Taking one over takes a lock in turn, named after the
 * one that is taken over: so of many that find the same dead holder one alone replaces its lock, and whoever comes late sees
 * that it is another one by now. Who is killed on the way leaves a lock that is taken over in the same way.
 *
 * @throws `invalid_config` when it is held, naming who holds it
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
      await refuseWhileHeld(journal, path, holder);
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
    // Somebody may have deleted it, and another taken it since.
    if ((await readHolder(path))?.id === own.id) await rm(path, { force: true });
  };
}

async function write(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    // A machine that stops must not leave a lock behind that says nothing.
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Whether the lock was free, and is taken now. */
async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Who holds it; nothing if nobody does. */
async function readHolder(path: string): Promise<Holder | undefined> {
  let text = "";
  try {
    text = await readLock(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return undefined;
    // A link.
    if (code !== "ELOOP") throw error;
  }
  const holder = parseHolder(text);
  if (holder !== undefined) return holder;
  throw trouble(
    `${path} is in the way: it is named like the lock of a journal, and is none.`,
    "If no process uses the journal, delete that file.",
  );
}

/** The text of a file; empty for one that is too large for a lock and for a pipe or a device, which are not read. */
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

async function refuseWhileHeld(journal: string, path: string, holder: Holder): Promise<void> {
  const { pid, host } = holder;
  const fate = await fateOf(holder);
  if (fate === "gone") return;
  if (fate === "unknown") {
    throw trouble(
      `The journal ${journal} is held by process ${pid} on ${host}, another machine than this.`,
      `Two at once could pay twice. Delete ${path} once you know that this process is gone.`,
    );
  }
  if (pid === process.pid) {
    throw trouble(
      `The journal ${journal} is open already, in this very process (${pid}).`,
      "Close it before it is opened again: a journal belongs to one batch at a time.",
    );
  }
  throw trouble(
    `The journal ${journal} is held by process ${pid}.`,
    `Two at once could pay twice: wait for it to end. If it is another program by now, delete ${path}.`,
  );
}
