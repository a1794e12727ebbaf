import { readFile } from "node:fs/promises";
import { hostname } from "node:os";

/** A process that holds a lock. */
export interface Holder {
  /** A UUID that names this lock among all that ever were. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** When the process began, as far as the system tells: numbers of processes are given again. */
  readonly began: string | null;
}

/** Whether a holder can still be at work; `unknown` where that cannot be seen from here. */
export type Fate = "alive" | "gone" | "unknown";

/** This process as the holder of a lock. */
export async function thisProcess(id: string): Promise<Holder> {
  const began = (await stateOf(process.pid))?.began ?? null;
  return { id, pid: process.pid, host: hostname(), began };
}

export async function fateOf({ pid, host, began }: Holder): Promise<Fate> {
  if (host !== hostname()) return "unknown";
  if (!isThere(pid)) return "gone";
  const now = await stateOf(pid);
  if (now === undefined) return "alive";
  if (now.hasEnded) return "gone";
  return began === null || began === now.began ? "alive" : "gone";
}

/** What a lock says, or nothing if that is not what is written into one. */
export function parseHolder(text: string): Holder | undefined {
  try {
    const { id, pid, host, began } = Object(JSON.parse(text)) as Partial<Holder>;
    // The id becomes part of a path.
    if (typeof id !== "string" || !/^[\da-f-]{36}$/.test(id)) return undefined;
    if (typeof host !== "string" || !Number.isInteger(pid)) return undefined;
    return { id, pid: Number(pid), host, began: began ?? null };
  } catch {
    return undefined;
  }
}

function isThere(pid: number): boolean {
  try {
    // Sends nothing: asks whether there is somebody to send it to.
    return process.kill(pid, 0);
  } catch (error) {
    // One that belongs to another user is there, too.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** What Linux knows of a process: since which start of the machine and when it runs, and whether it has only to be buried. */
async function stateOf(
  pid: number,
): Promise<{ readonly began: string; readonly hasEnded: boolean } | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "latin1");
    // The name of the program stands in brackets, and may itself have brackets and spaces in it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { began: `${boot.trim()} ${fields[19]}`, hasEnded: /[ZX]/.test(fields[0] ?? "") };
  } catch {
    return undefined;
  }
}
