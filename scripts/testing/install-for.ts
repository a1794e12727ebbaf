import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Installs packages into a folder of their own, with npm, as an app that is not part of the workspace. */
export async function installFor(
  folder: string,
  packages: readonly string[],
  own: {
    readonly environment?: Readonly<Record<string, string>>;
    /** Versions in place of what packages ask for. */
    readonly overrides?: Readonly<Record<string, string>>;
  } = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifest = { name: "app", private: true, overrides: own.overrides };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const flags = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
  await run("npm", ["install", ...flags, ...packages], {
    cwd: folder,
    env: { ...process.env, ...own.environment },
  });
}
