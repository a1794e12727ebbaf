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
    /** What stands in the app's package.json besides. */
    readonly manifest?: Readonly<Record<string, unknown>>;
    /**
     * Whether packages may run what they bring, as those do that put a program for this machine into its place.
     *
     * @default false
     */
    readonly scripts?: boolean;
  } = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifest = { name: "app", private: true, ...own.manifest };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const flags = ["--no-audit", "--no-fund", "--no-package-lock"];
  if (own.scripts !== true) flags.push("--ignore-scripts");
  await run("npm", ["install", ...flags, ...packages], {
    cwd: folder,
    env: { ...process.env, ...own.environment },
  });
}
