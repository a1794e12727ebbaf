import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { root } from "@tryon/test-kit/repository";
import { startProgram } from "@tryon/test-kit/start-program";

/** Lists the processes that were started, directly or not, with a folder in their environment. */
function processesWith(folder: string): readonly string[] {
  const list = `grep -ls "TRYON_MARK=${folder}" /proc/[0-9]*/environ`;
  return spawnSync("sh", ["-c", list], { encoding: "utf8" }).stdout.split("\n").slice(0, -1);
}

// Other systems have no /proc. There, the tests of each program show what it does on a signal.
it.runIf(process.platform === "linux").each(["SIGINT", "SIGTERM"] as const)(
  "leaves no process behind when npm start is ended by %s",
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), "tryon-signals-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const env = { ...process.env, TRYON_MARK: folder };
    const npm = startProgram("npm", ["start", "--", "--out", folder], { cwd: root, env });
    await npm.waitFor(/sent:/);
    expect(processesWith(folder).length).toBeGreaterThanOrEqual(3);
    // It has ended when the last process that could write to its output is gone.
    await npm.stop(signal);
    expect(processesWith(folder)).toEqual([]);
  },
  120_000,
);
