import { execFile } from "node:child_process";
import { cp, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { root } from "@tryon/test-kit/repository";

const run = promisify(execFile);

/** Copies the repository as it stands, what is not committed too, into a repository of its own with one commit. */
export async function copyRepository(folder: string): Promise<void> {
  const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { stdout } = await run("git", listed, { cwd: root, maxBuffer: 16_000_000 });
  for (const file of stdout.split("\0").filter((path) => path !== "")) {
    const there = await stat(join(root, file)).catch(() => undefined);
    if (!there?.isFile()) continue;
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(root, file), join(folder, file));
  }
  await run("git", ["init", "--quiet", "--initial-branch", "main"], { cwd: folder });
  await commitAll(folder, "Begin");
}

export async function commitAll(folder: string, message: string): Promise<void> {
  // Whatever whoever runs this has told git of themselves.
  const settings = {
    "user.name": "releaser",
    "user.email": "releaser@shop.example",
    "commit.gpgSign": "false",
    "core.hooksPath": "/dev/null",
  };
  const settled = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  await run("git", ["add", "--all"], { cwd: folder });
  await run("git", [...settled, "commit", "--quiet", "--message", message], { cwd: folder });
}
