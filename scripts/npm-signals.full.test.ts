import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { root } from "@tryon/test-kit/repository";
import { startProgram } from "@tryon/test-kit/start-program";

// Other systems have no /proc. There, the tests of each program show what it does on a signal.
it.runIf(process.platform === "linux").each(["SIGINT", "SIGTERM"] as const)(
  "leaves no process behind when npm start is ended by %s",
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), "tryon-signals-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const env = { ...process.env, TRYON_MARK: folder };
    const npm = startProgram("npm", ["start", "--", "--out", folder], { cwd: root, env });
    await npm.waitFor(/uploading/);
    /** Counts the processes that were started, directly or not, with the folder in their environment. */
    const list = `grep -ls "TRYON_MARK=${folder}" /proc/[0-9]*/environ | wc -l`;
    const count = () => Number(spawnSync("sh", ["-c", list], { encoding: "utf8" }).stdout);
    expect(count()).toBeGreaterThanOrEqual(3);
    // It has ended when the last process that could write to its output is gone.
    await npm.stop(signal);
    expect(count()).toBe(0);
  },
  120_000,
);
