import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Options of `installApp`. */
export interface InstallOptions {
  /** Environment variables for npm. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Further fields of the app's package.json. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /**
   * If true, runs install scripts, which some packages need to install the program for this machine.
   *
   * @default false
   */
  readonly scripts?: boolean;
}

/** Installs packages with npm into a folder, as an app outside the workspace. */
export async function installApp(
  folder: string,
  packages: readonly string[],
  options: InstallOptions = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifest = { name: "app", private: true, ...options.manifest };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const flags = ["--no-audit", "--no-fund", "--no-package-lock"];
  if (options.scripts !== true) flags.push("--ignore-scripts");
  await run("npm", ["install", ...flags, ...packages], {
    cwd: folder,
    env: { ...process.env, ...options.environment },
  });
}
