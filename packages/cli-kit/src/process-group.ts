import { setTimeout as sleep } from "node:timers/promises";

/** Maximum time for background processes to end after SIGTERM, in milliseconds. */
const clearingGrace = 1_000;
const clearingStep = 10;

/**
 * Chooses the process group of a command. Without a terminal the command leads its own group, so that signals reach all
 * processes that it started. At a terminal it stays in the terminal's group, or it could not read from it. There Ctrl+C
 * reaches the command by itself, so it is not forwarded.
 */
export function processGroupOf(platform: NodeJS.Platform, terminal: boolean) {
  const ownGroup = platform !== "win32" && !terminal;
  /** Returns the id for `kill` that includes the processes of the command. */
  const target = (pid: number): number => (ownGroup ? -pid : pid);
  return {
    ownGroup,
    target,
    forward(pid: number, signal: NodeJS.Signals): void {
      if (!(terminal && signal === "SIGINT")) send(target(pid), signal);
    },
    async clear(pid: number): Promise<void> {
      if (ownGroup) await clearGroup(-pid);
    },
  };
}

async function clearGroup(group: number): Promise<void> {
  if (!send(group, "SIGTERM")) return;
  for (let waited = 0; waited < clearingGrace; waited += clearingStep) {
    await sleep(clearingStep);
    if (!send(group, 0)) return;
  }
  send(group, "SIGKILL");
}

/** Sends a signal, and returns true if a process got it. Signal 0 only checks. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
