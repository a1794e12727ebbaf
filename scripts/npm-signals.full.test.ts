import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it } from "vitest";

import { root } from "@tryon/test-kit/repository";

/** Every process that was started, directly or not, with this mark in its environment. */
async function marked(mark: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    if (!environment.includes(mark)) continue;
    const state = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
    if (state !== "" && !/\) Z /.test(state)) found.push(pid);
  }
  return found;
}

// The other systems have no /proc; there, what each program does on a signal is shown by its own tests.
it.runIf(process.platform === "linux").each(["SIGINT", "SIGTERM"] as const)(
  "leaves no process behind when npm start is ended by %s",
  async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), "tryon-signals-"));
    const mark = `TRYON_MARK=${randomUUID()}`;
    const [name = "", value = ""] = mark.split("=");
    const npm = spawn("npm", ["start", "--", "--out", folder], {
      cwd: root,
      env: { ...process.env, [name]: value },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(npm, "exit");
    const closed = once(npm.stdout, "close");
    let text = "";
    for await (const chunk of npm.stdout.iterator({ destroyOnReturn: false })) {
      text += String(chunk);
      if (text.includes("sent:")) break;
    }
    expect((await marked(mark)).length).toBeGreaterThanOrEqual(3);
    npm.kill(signal);
    npm.stdout.resume();
    await ended;
    // The stream ends when the last process that could write to it is gone.
    await closed;
    expect(await marked(mark)).toEqual([]);
    await rm(folder, { recursive: true });
  },
  120_000,
);
