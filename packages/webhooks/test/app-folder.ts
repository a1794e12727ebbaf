import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { build } from "esbuild";

import { installApp } from "@tryon/test-kit/install-app";
import { root } from "@tryon/test-kit/repository";

const run = promisify(execFile);
const own = join(import.meta.dirname, "..");

/** Maximum duration of an installation, in milliseconds. */
export const installing = 300_000;

/** Folder outside the workspace with the app of a user. */
export class AppFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Creates a folder and installs packages, named as for `npm install`. */
  static async install(...packages: readonly string[]): Promise<AppFolder> {
    const folder = new AppFolder(await mkdtemp(join(tmpdir(), "tryon-app-")));
    await mkdir(join(folder.path, "node_modules"));
    await installApp(folder.path, packages);
    return folder;
  }

  /** Requires a package in the folder. */
  require(name: string): unknown {
    return createRequire(join(this.path, "package.json"))(name);
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.path, path)), { recursive: true });
    await writeFile(join(this.path, path), text);
  }

  /** Builds this package and adds it as it would be published. */
  async addWebhooks(): Promise<void> {
    const into = "node_modules/@tryon/webhooks";
    const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
    const out = ["--silent", "--out-dir", join(this.path, into, "dist")];
    await run(process.execPath, [tsup, ...out], { cwd: own });
    const manifest = JSON.parse(await readFile(join(own, "package.json"), "utf8")) as {
      publishConfig: { exports: object };
    };
    const { exports } = manifest.publishConfig;
    await this.write(`${into}/package.json`, JSON.stringify({ ...manifest, exports }));
  }

  /** Compiles files in strict mode and returns the output of the compiler. */
  async compile(files: readonly string[]): Promise<string> {
    const compilerOptions = {
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      target: "es2022",
      module: "nodenext",
      types: ["node"],
    };
    await this.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    try {
      return (await run(process.execPath, [compiler, "-p", this.path])).stdout;
    } catch (error) {
      // The compiler prints its errors.
      return String(Object(error).stdout);
    }
  }

  /** Bundles a file for a browser or a worker. */
  async bundle(path: string, external: readonly string[]): Promise<string> {
    const { outputFiles } = await build({
      entryPoints: [join(this.path, path)],
      absWorkingDir: this.path,
      bundle: true,
      write: false,
      format: "esm",
      platform: "neutral",
      external: [...external],
    });
    return outputFiles.map(({ text }) => text).join("");
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}
