import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";

import { packageFolder, packedPackages, published, type Published } from "./packages.ts";
import { compiler, node, root } from "./repository.ts";
import { startProgram, type Program } from "./start-program.ts";

/** Time limit of packing, copying, installing and building on a busy machine, in milliseconds. */
export const installing = 600_000;

type Environment = Readonly<Record<string, string | undefined>>;

interface InstallOptions {
  readonly environment?: Environment;
  /** Further fields of the app's package.json. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /**
   * If true, runs install scripts, which some packages need to install the program for this machine.
   *
   * @default false
   */
  readonly scripts?: boolean;
}

/** Folder of an app: files are copied or written there, packages are installed, and commands run. */
export class AppFolder {
  readonly folder: string;
  readonly #environment: Environment;

  /** @param environment - Variables of each command, in addition to those of this process. */
  constructor(folder: string, environment: Environment = {}) {
    this.folder = folder;
    this.#environment = { ...processEnvironment(), ...environment };
  }

  /** Creates an empty folder outside the repository. */
  static async create(name: string, environment?: Environment): Promise<AppFolder> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), `tryon-${name}-`)));
    return new AppFolder(folder, environment);
  }

  /** Creates an empty folder inside the repository, where code resolves the packages of the docs. */
  static async inRepository(name: string): Promise<AppFolder> {
    const places = join(root, "docs/.snippets");
    await mkdir(places, { recursive: true });
    return new AppFolder(await mkdtemp(join(places, `${name}-`)));
  }

  /** Creates a folder with packages, named as for `npm install`. */
  static async with(name: string, ...packages: readonly string[]): Promise<AppFolder> {
    const app = await AppFolder.create(name);
    await app.install(packages);
    return app;
  }

  /**
   * Copies an example and runs `npm install` there. Our packages are the tarballs that would be published, and everything
   * else is the lowest version that the example allows, so that all runs are alike.
   */
  static async copy(example: string, environment?: Environment): Promise<AppFolder> {
    const tarballs = await packedPackages();
    const app = await AppFolder.create(example, environment);
    await cp(join(root, "examples", example), app.folder, { recursive: true, filter: isOwn });
    const manifest = (await readFile(app.path("package.json"), "utf8"))
      .replaceAll(
        /"@tryon\/(client|webhooks|mock|contract|ai-sdk)": "[^"]+"/g,
        // The expression matches the names of published packages.
        (_whole, name: Published) => `"@tryon/${name}": "file:${tarballs[name]}"`,
      )
      .replaceAll('": "^', '": "');
    await app.write("package.json", manifest);
    await app.run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"]);
    return app;
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(this.path(path)), { recursive: true });
    await writeFile(this.path(path), text);
  }

  /** Installs packages with npm, as an app outside the workspace. */
  async install(packages: readonly string[], options: InstallOptions = {}): Promise<void> {
    const manifest = { name: "app", private: true, ...options.manifest };
    await this.write("package.json", JSON.stringify(manifest));
    // Otherwise npm would install into a folder above that has one.
    await mkdir(this.path("node_modules"), { recursive: true });
    const flags = ["--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline"];
    if (options.scripts !== true) flags.push("--ignore-scripts");
    const text = await this.run("npm", ["install", ...flags, ...packages], options.environment);
    // npm ends with 0 although a file could not be written, for example to a full disk.
    if (text.includes("TAR_ENTRY_ERROR")) throw new Error(`npm has lost files:\n${text}`);
  }

  /** Unpacks our packages as they would be published, and links what they need: the same without a registry. */
  async unpack(): Promise<void> {
    const tarballs = await packedPackages();
    for (const name of published) {
      const folder = this.path("node_modules/@tryon", name);
      await mkdir(folder, { recursive: true });
      await this.run("tar", ["-xzf", tarballs[name], "-C", folder, "--strip-components=1"]);
      const text = await readFile(join(folder, "package.json"), "utf8");
      // The package manager has written the manifest.
      const { dependencies = {} } = JSON.parse(text) as { dependencies?: object };
      for (const dependency of Object.keys(dependencies)) {
        const link = this.path("node_modules", dependency);
        await mkdir(dirname(link), { recursive: true });
        await symlink(join(packageFolder(name), "node_modules", dependency), link).catch(ignore);
      }
    }
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

  /** Runs a command line of a shell to its end, as `run` does. */
  shell(command: string, more?: Environment): Promise<string> {
    return this.run("sh", ["-c", command], more);
  }

  start(command: string, args: readonly string[], more: Environment = {}): Program {
    const env = { ...this.#environment, ...more };
    return startProgram(command, args, { cwd: this.folder, env, detached: true });
  }

  /** Compiles the folder with a configuration of the newest compiler, and returns the errors, or "". */
  async compile(config: object): Promise<string> {
    await this.write("tsconfig.json", JSON.stringify(config));
    const program = this.start(node, [compiler, "-p", this.folder]);
    const { code } = await program.ended;
    // A compiler that crashes may print nothing.
    return code === 0 ? program.text : program.text || `The compiler ended with ${code}.`;
  }

  /** Requires an installed package, which has no types here. */
  require(name: string): unknown {
    return createRequire(this.path("package.json"))(name);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Returns false for the installed packages of an example. */
function isOwn(path: string): boolean {
  return basename(path) !== "node_modules";
}

/** Two packages can need the same one. */
const ignore = (): void => undefined;

/** Environment of this process, without variables of the test runner and of the service. */
function processEnvironment(): Environment {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST|TRYON_|NODE_ENV|NODE_OPTIONS)/.test(name),
  );
  const { PATH = "", ...environment } = Object.fromEntries(kept);
  // The repository's own Node goes first.
  return { ...environment, PATH: [dirname(node), PATH].join(delimiter), CI: "true", NO_COLOR: "1" };
}
