import { spawnSync } from "node:child_process";

/** Whether a process is at work; one that has ended and waits to be asked how counts as gone. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}
