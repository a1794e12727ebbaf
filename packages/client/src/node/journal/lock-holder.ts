import { readFile } from "node:fs/promises";
import { hostname } from "node:os";

/** Process that holds a lock. */
export interface Holder {
  /** UUID of the lock. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** Boot id and start time of the process, if known, since the system reuses process ids. */
  readonly startedAt: string | null;
}

/** Status of a lock's process. `unknown` for a process on another host. */
export type HolderStatus = "running" | "gone" | "unknown";

/** Describes this process as the holder of a lock. */
export async function thisProcess(id: string): Promise<Holder> {
  const startedAt = (await stateOf(process.pid))?.startedAt ?? null;
  return { id, pid: process.pid, host: hostname(), startedAt };
}

/** Returns the status of a lock's process. */
export async function holderStatus({ pid, host, startedAt }: Holder): Promise<HolderStatus> {
  if (host !== hostname()) return "unknown";
  if (!exists(pid)) return "gone";
  const now = await stateOf(pid);
  if (now === undefined) return "running";
  if (now.hasEnded) return "gone";
  return startedAt === null || startedAt === now.startedAt ? "running" : "gone";
}

/** Parses the content of a lock file. Returns undefined for any other content. */
export function parseHolder(text: string): Holder | undefined {
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

function exists(pid: number): boolean {
  try {
    // Signal 0 only checks that the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists, too.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Reads the boot id, start time and state of a process. Works on Linux only. */
async function stateOf(
  pid: number,
): Promise<{ readonly startedAt: string; readonly hasEnded: boolean } | undefined> {
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
