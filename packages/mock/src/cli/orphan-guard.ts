import { spawn } from "node:child_process";
import { once } from "node:events";

/** A process that ends the command should this one be killed, which nobody can do for himself. */
export interface OrphanGuard {
  /** Sends it home; resolves when it has gone. */
  dismiss(): Promise<void>;
}

/** It waits for a word of ours; when the pipe closes without one, we are gone. */
const watch = 'read -r word || kill -KILL "$1"';

/** @param target as `kill` takes it: a process, or a group as a negative number. */
export function startOrphanGuard(target: number, platform: NodeJS.Platform): OrphanGuard {
  if (platform === "win32") return { dismiss: () => Promise.resolve() };
  const shell = spawn("/bin/sh", ["-c", watch, "tryon-mock", String(target)], {
    stdio: ["pipe", "ignore", "ignore"],
    // What kills the whole of our group is not to reach it.
    detached: true,
  });
  // A machine without a shell goes without a watchman.
  const gone = once(shell, "exit").catch(() => undefined);
  shell.stdin.on("error", () => undefined);
  return {
    async dismiss() {
      shell.stdin.end("done\n");
      await gone;
    },
  };
}
