import { setTimeout as sleep } from "node:timers/promises";

export interface ProcessGroup {
  readonly ownGroup: boolean;
  /** Returns the id for `kill` that includes the processes of the command. */
  target(pid: number): number;
  forward(pid: number, signal: NodeJS.Signals): void;
  clear(pid: number): Promise<void>;
}

/** Maximum time for background processes to end after SIGTERM, in milliseconds. */
const clearingGrace = 1_000;
const clearingStep = 10;

/**
 * Chooses the process group of a command. Without a terminal the command leads its own group, so that signals reach all
 * processes that it started. At a terminal it stays in the terminal's group, or it could not read from it. There Ctrl+C
 * reaches the command by itself, so it is not forwarded.
 */
export function processGroupOf(platform: NodeJS.Platform, terminal: boolean): ProcessGroup {
  if (platform === "win32" || terminal) {
    return {
      ownGroup: false,
      target: (pid) => pid,
      forward: (pid, signal) => {
        if (!(terminal && signal === "SIGINT")) send(pid, signal);
      },
      clear: () => Promise.resolve(),
    };
  }
  return {
    ownGroup: true,
    target: (pid) => -pid,
    forward: (pid, signal) => send(-pid, signal),
    clear: (pid) => clearGroup(-pid),
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
