import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";

import { build, type Plugin } from "esbuild";

import { AppFolder } from "@tryon/test-kit/app-folder";
import { packedPackages } from "@tryon/test-kit/packages";
import { startProgram, type Program } from "@tryon/test-kit/start-program";
import { packages } from "./peers.ts";
import type { Sample } from "./statistics.ts";

/** Leaves out what a page loads later. */
const laterLoads: Plugin = {
  name: "later-loads",
  setup(bundle) {
    bundle.onResolve({ filter: /^/ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

/** Folder with the packed packages, the peers and the compiled programs, and the servers started in it. */
export class Environment {
  readonly folder = mkdtempSync(join(tmpdir(), "tryon-bench-"));
  readonly #servers = new Set<Program>();
  readonly #failures: string[] = [];

  /** Runs Node in the folder and returns what it prints. */
  async node(...args: readonly string[]): Promise<string> {
    const program = startProgram(process.execPath, args, { cwd: this.folder });
    const { code } = await program.ended;
    if (code === 0) return program.output.stdout;
    throw new Error(`node ${args.join(" ")} ended with ${code}:\n${program.text}`);
  }

  /** Runs a program of this package, each of which prints a sample. */
  async run(...args: readonly string[]): Promise<Sample> {
    return JSON.parse(await this.node(...args)) as Sample;
  }

  /** Runs a program that measures one candidate. After its failure, which is reported, the other candidates go on. */
  async runCandidate(...args: readonly string[]): Promise<Sample> {
    try {
      return await this.run(...args);
    } catch (error) {
      this.#failures.push(error instanceof Error ? error.message : String(error));
      return {};
    }
  }

  /** Returns the failures of candidates since the last call. */
  takeFailures(): readonly string[] {
    return this.#failures.splice(0);
  }

  /** Starts a server in the folder, waits for a response and returns its URL: the known one, or the one that it prints. */
  async serve(args: readonly string[], knownUrl?: string): Promise<string> {
    const server = startProgram(process.execPath, args, { cwd: this.folder });
    this.#servers.add(server);
    const url = knownUrl ?? (await server.waitFor(/listening on (http:\S+)/))[1] ?? "";
    while (!(await fetch(url).catch(() => undefined))) {
      if (server.child.exitCode !== null) throw new Error(`A server ended early:\n${server.text}`);
      await delay(100);
    }
    return url;
  }

  /**
   * Bundles a line of code for a browser, minified, and returns the gzip size of the first load, without what `import()` loads
   * later. Apps polyfill what only Node has.
   */
  async bundledSize(line: string): Promise<number> {
    const { outputFiles } = await build({
      stdin: { contents: line, resolveDir: this.folder },
      bundle: true,
      minify: true,
      write: false,
      platform: "browser",
      format: "esm",
      target: "es2022",
      external: ["node:*", "crypto", "stream", "http", "https", "events", "child_process", "react"],
      plugins: [laterLoads],
      logLevel: "error",
    });
    return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
  }

  async stopServers(): Promise<void> {
    for (const server of this.#servers) await server.stop();
    this.#servers.clear();
  }
}

/** Packs the packages and installs them and the peers as an app does. The folder is removed on exit. */
export async function createEnvironment(): Promise<Environment> {
  const environment = new Environment();
  const { folder } = environment;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const it of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(it, () => process.exit(130));
  await new AppFolder(folder).install([...Object.values(await packedPackages()), ...packages]);
  // Compiled ahead, so that neither time nor memory of the compiler is measured.
  await build({
    entryPoints: globSync(join(import.meta.dirname, "programs/*.ts")),
    bundle: true,
    external: ["@tryon/*"],
    platform: "node",
    format: "esm",
    target: "es2024",
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
  });
  return environment;
}
