// Loaded by a program that runs for long: at SIGUSR2, it appends its usage to the file in TRYON_SOAK_FILE. It needs --expose-gc.
import { appendFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";

/** Returns the memory, the open handles by kind, and the listeners of the process. */
async function usage() {
  // One garbage collection runs finalizers whose garbage only the next one collects.
  for (let time = 0; time < 4; time += 1) {
    for (let step = 0; step < 8; step += 1) await turn();
    globalThis.gc?.();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const handles: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) handles[name] = (handles[name] ?? 0) + 1;
  const names = process.eventNames();
  const listeners = names.reduce((sum, name) => sum + process.listenerCount(name), 0);
  return { memory: heapUsed + arrayBuffers, handles, listeners };
}

process.on("SIGUSR2", () => {
  const file = process.env["TRYON_SOAK_FILE"];
  if (file) void usage().then((it) => appendFileSync(file, `${JSON.stringify(it)}\n`));
});
