import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

/** Creates a folder that is deleted after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tryon-mock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Returns the path of a new state file. */
export function stateFile(): string {
  return join(temporaryFolder(), "state.db");
}

/** Writes a file, such as a configuration, and returns its path. */
export function fileWith(text: string): string {
  const path = join(temporaryFolder(), "config.json");
  writeFileSync(path, text);
  return path;
}
