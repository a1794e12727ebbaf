import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const folder = import.meta.dirname;
const stamp = join(folder, "node_modules/.installed-lock");

/** Installs what builds the site, apart from the workspace, unless the lock file's is there already. */
export async function installTools(): Promise<void> {
  const lock = await readFile(join(folder, "pnpm-lock.yaml"));
  const digest = createHash("sha256").update(lock).digest("hex");
  if ((await readFile(stamp, "utf8").catch(() => "")) === digest) return;
  process.stderr.write("Installing the tools of the site, which is needed once…\n");
  // The same package manager as the workspace has.
  const { packageManager } = JSON.parse(
    await readFile(join(folder, "../../package.json"), "utf8"),
  ) as {
    packageManager: string;
  };
  const install = [
    "install",
    "--ignore-workspace",
    "--frozen-lockfile",
    "--config.strict-dep-builds=false",
    "--loglevel=warn",
  ];
  await new Promise<void>((resolve, reject) => {
    const child = spawn("npx", ["--yes", packageManager, ...install], {
      cwd: folder,
      // Its messages go to stderr, because a program may read stdout.
      stdio: ["ignore", process.stderr.fd, process.stderr.fd],
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The tools of the site could not be installed: exit code ${code}.`));
    });
  });
  await writeFile(stamp, digest);
}
