import { readFileSync, writeFileSync } from "node:fs";

/**
 * Begins to watch the memory of this process.
 *
 * @returns what tells how many bytes it had at most since then over what it had at first.
 */
export function watchMemory(): () => number {
  try {
    // Has the kernel take the present size for the peak.
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Elsewhere the peak is that of the whole life of the process, whose start is small.
  }
  const start = process.memoryUsage.rss();
  return () => peak() - start;
}

function peak(): number {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const kilobytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
    if (kilobytes > 0) return kilobytes * 1_024;
  } catch {
    // There is no such file but under Linux.
  }
  return process.resourceUsage().maxRSS * 1_024;
}
