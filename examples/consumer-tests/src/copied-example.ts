import { cp, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, delimiter, join } from "node:path";

import { packedPackages, type Published, type Tarballs } from "@tryon/test-kit/packages";
import { root } from "@tryon/test-kit/repository";
import { startProgram, type Program } from "@tryon/test-kit/start-program";
import { onTestFinished } from "vitest";

/** Time limit of packing, copying, installing and building on a busy machine, in milliseconds. */
export const installing = 600_000;

/** Arguments of `npx` that run a command of an example beside its installed reference server. */
export const beside = ["tryon-mock", "exec", "--latency", "0", "--"] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Example in a folder outside of the repository, installed as users install it. */
export class CopiedExample {
  /** Path of the folder. */
  readonly folder: string;
  readonly #environment: Environment;

  private constructor(folder: string, environment: Environment) {
    this.folder = folder;
    this.#environment = environment;
  }

  /**
   * Copies an example and runs `npm install` there. Our packages are the tarballs that would be published, and everything
   * else is the lowest version that the example allows, so that all runs are alike.
   */
  static async install(name: string, environment: Environment = {}): Promise<CopiedExample> {
    const tarballs = await packedPackages();
    const folder = await realpath(await mkdtemp(join(tmpdir(), `tryon-${name}-`)));
    const example = new CopiedExample(folder, {
      ...processEnvironment(),
      ...environment,
    });
    try {
      await example.#fill(name, tarballs);
    } catch (error) {
      await example.remove();
      throw error;
    }
    return example;
  }

  async #fill(name: string, tarballs: Tarballs): Promise<void> {
    const from = join(root, "examples", name);
    await cp(from, this.folder, { recursive: true, filter: isOwn });
    const manifest = await readFile(this.path("package.json"), "utf8");
    const settled = manifest
      .replaceAll(
        /"@tryon\/(client|webhooks|mock|contract)": "[^"]+"/g,
        // The expression matches the names of published packages.
        (_whole, short: Published) => `"@tryon/${short}": "file:${tarballs[short]}"`,
      )
      .replaceAll('": "^', '": "');
    await writeFile(this.path("package.json"), settled);
    await this.run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"]);
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }

  /**
   * Runs a command to its end, and returns its output.
   *
   * @throws Error with the output, if the exit code is not 0.
   */
  async run(command: string, args: readonly string[], more: Environment = {}): Promise<string> {
    const program = this.start(command, args, more);
    const { code } = await program.ended;
    if (code === 0) return program.text;
    throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${program.text}`);
  }

  /** Starts a command in the folder. */
  start(command: string, args: readonly string[], more: Environment = {}): Program {
    const env = { ...this.#environment, ...more };
    return startProgram(command, args, { cwd: this.folder, env, detached: true });
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Installs an example for one test. */
export async function copied(name: string): Promise<CopiedExample> {
  const example = await CopiedExample.install(name);
  onTestFinished(() => example.remove(), installing);
  return example;
}

/** Returns true for a file of the example, and false for an installed one. */
function isOwn(path: string): boolean {
  return basename(path) !== "node_modules";
}

/** Environment of this process, without variables of the test runner and of the service. */
function processEnvironment(): Environment {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST|TRYON_|NODE_ENV|NODE_OPTIONS)/.test(name),
  );
  const { PATH = "", ...environment } = Object.fromEntries(kept);
  // The repository's own Node goes first.
  const path = [dirname(process.execPath), PATH].join(delimiter);
  return { ...environment, PATH: path, CI: "true", NO_COLOR: "1" };
}
