import { spawn } from "node:child_process";
import { once } from "node:events";

/** Waits for a line. If the pipe closes without one, this process has ended. */
const watch = 'read -r word || kill -KILL "$1"';

/**
 * @param target id of a process, or a negative id of a process group, as for `kill`
 * @returns a function that ends the guard.
 */
export function startOrphanGuard(target: number): () => Promise<void> {
  if (process.platform === "win32") return () => Promise.resolve();
  const shell = spawn("/bin/sh", ["-c", watch, "orphan-guard", String(target)], {
    stdio: ["pipe", "ignore", "ignore"],
    // A signal to the process group must not end the guard.
    detached: true,
  });
  // Without a shell, no guard runs.
  const ended = once(shell, "exit").catch(() => undefined);
  shell.stdin.on("error", () => undefined);
  return async () => {
    shell.stdin.end("done\n");
    await ended;
  };
}
