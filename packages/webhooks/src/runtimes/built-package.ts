import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { build } from "esbuild";
import type { BuildOptions } from "esbuild";

const run = promisify(execFile);
const packageFolder = join(import.meta.dirname, "../..");
const root = join(packageFolder, "../..");

/** Where a program runs, which decides how it tells its tally, and of what runtime that is. */
const surroundings = {
  process: `import { stdout, versions } from "node:process";
    run().then((tally) => stdout.write(JSON.stringify({ ...tally, runtime: versions })));`,
  worker: `export default {
    fetch: async () => Response.json({ ...await run(), runtime: navigator.userAgent }) };`,
  page: `globalThis.told = run().then((tally) => ({ ...tally, runtime: navigator.userAgent }));`,
} as const;

/** A folder in which the package is installed as it would be published, and programs that use it. */
export interface BuiltPackage {
  readonly folder: string;
  /**
   * Bundles a program of this folder that exports `run`. In a process it finds the package by
   * itself, as an app does; elsewhere the package is bundled with it.
   */
  program(
    module: string,
    where: keyof typeof surroundings,
    format?: "esm" | "cjs",
  ): Promise<{ readonly file: string; readonly text: string }>;
  remove(): Promise<void>;
}

/** Builds the package into a folder of its own, and leaves alone what has been built elsewhere. */
export async function buildPackage(): Promise<BuiltPackage> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-webhooks-built-"));
  const installed = join(folder, "node_modules/@tryon/webhooks");
  await mkdir(installed, { recursive: true });
  const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
  const options = ["--silent", "--no-dts", "--out-dir", join(installed, "dist")];
  await run(process.execPath, [tsup, ...options], { cwd: packageFolder });
  const manifest = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8")) as {
    publishConfig: object;
  };
  const published = { ...manifest, ...manifest.publishConfig };
  await writeFile(join(installed, "package.json"), JSON.stringify(published));
  const dependencies = { "@tryon/webhooks": "*" };
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  return {
    folder,
    remove: () => rm(folder, { recursive: true }),
    async program(module, where, format = "esm") {
      const contents = `import { run } from "./${module}"; ${surroundings[where]}`;
      const aside: BuildOptions =
        where === "process"
          ? { external: ["@tryon/webhooks"], platform: "node" }
          : { alias: { "@tryon/webhooks": join(installed, "dist/index.js") }, platform: "browser" };
      const { outputFiles } = await build({
        ...aside,
        stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
        bundle: true,
        format,
        target: "es2022",
        write: false,
        logLevel: "silent",
      });
      const [output] = outputFiles;
      if (output === undefined) throw new Error(`Nothing was bundled of ${module}.`);
      const file = join(folder, `${module}.${where}.${format === "esm" ? "mjs" : "cjs"}`);
      await writeFile(file, output.contents);
      return { file, text: output.text };
    },
  };
}
