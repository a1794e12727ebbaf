import { fileURLToPath } from "node:url";

import type { Processes, Program } from "./processes.ts";

/** Starts a program of `src/programs` from its source. */
export function startProgram(
  processes: Processes,
  name: string,
  args: readonly string[] = [],
): Program {
  const path = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url));
  return processes.node(["--conditions=@tryon/source", path, ...args]);
}
