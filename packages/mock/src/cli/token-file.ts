import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Path of the file with the control token of a server that listens on a port. */
export function tokenFile(port: number): string {
  return join(tmpdir(), `tryon-mock-${port}.token`);
}

/**
 * Writes a file that only its owner can read. Replaces an earlier file, or a link, at once or not at all.
 *
 * @throws Error of the system.
 */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, text, { flag: "wx", mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
