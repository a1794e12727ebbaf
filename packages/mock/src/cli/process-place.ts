import { setTimeout as sleep } from "node:timers/promises";

/** Where a command runs: in a process group of its own, or in that of the terminal. */
export interface ProcessPlace {
  readonly ownGroup: boolean;
  /** What `kill` is to be given to reach the command and what belongs to it. */
  target(pid: number): number;
  handOn(pid: number, signal: NodeJS.Signals): void;
  /** Ends what the command has left running. */
  clear(pid: number): Promise<void>;
}

/** How long, in milliseconds, what the command has left running may take to end by itself. */
const clearingGrace = 1_000;
const clearingStep = 10;

/**
 * Away from a terminal the command leads a group of its own, so that signals reach everything that it has started and
 * nothing of it stays behind. At a terminal it has to stay in the terminal's group, or it could not read from it; there
 * Ctrl+C reaches it without our help, and handing it on would make two of one.
 */
export function placeOf(platform: NodeJS.Platform, terminal: boolean): ProcessPlace {
  if (platform === "win32" || terminal) {
    return {
      ownGroup: false,
      target: (pid) => pid,
      handOn: (pid, signal) => {
        if (!(terminal && signal === "SIGINT")) send(pid, signal);
      },
      clear: () => Promise.resolve(),
    };
  }
  return {
    ownGroup: true,
    target: (pid) => -pid,
    handOn: (pid, signal) => send(-pid, signal),
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

/** Sends a signal and says whether there was anybody to get it; 0 asks just that. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
