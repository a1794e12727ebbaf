import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

/** Returns the path of a new state file, which is deleted after the test. */
export function stateFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "tryon-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "state.db");
}
