import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { glob, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

import { build } from "esbuild";

import { installApp } from "@tryon/test-kit/install-app";
import { packedPackages } from "@tryon/test-kit/packages";
import { packages } from "./peers.ts";
import type { Sample } from "./statistics.ts";

const execute = promisify(execFile);

/** Folder with the packed packages, the peers and the compiled programs, and the processes started in it. */
export interface Environment {
  readonly folder: string;
  /** Runs Node in the folder and returns what it prints. */
  readonly node: (...args: readonly string[]) => Promise<string>;
  /** Runs Node in the folder and returns the sample that it prints. */
  run(...args: readonly string[]): Promise<Sample>;
  /** Starts a server in the folder and returns its URL: the one that it prints or the known one. */
  serve(args: readonly string[], knownUrl?: string): Promise<string>;
  /** Stops the servers that were started. */
  stopServers(): Promise<void>;
  /** Stops every process and removes the folder. */
  close(): Promise<void>;
}

/** Packs the packages and installs them and the peers as an app does. */
export async function createEnvironment(): Promise<Environment> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-bench-"));
  const closing = new AbortController();
  const { signal } = closing;
  const servers = new Set<{ kill(): boolean; closed: Promise<unknown> }>();

  const environment: Environment = {
    folder,
    // Every program of this package prints a sample.
    run: async (...args) => JSON.parse(await environment.node(...args)) as Sample,
    node: async (...args) => {
      const { stdout } = await execute(process.execPath, args, { cwd: folder, signal });
      return stdout;
    },
    serve: async (args, knownUrl) => {
      const stdio = ["ignore", "pipe", "inherit"] as const;
      const child = spawn(process.execPath, args, { cwd: folder, signal, stdio: [...stdio] });
      const closed = once(child, "close");
      closed.catch(() => undefined);
      servers.add({ kill: () => child.kill(), closed });
      const printed = new Promise<string>((resolve, reject) => {
        let output = "";
        child.stdout?.setEncoding("utf8").on("data", (text: string) => {
          // The log of a server under load is read, not kept.
          if (output.length < 10_000) output += text;
          const url = /listening on (http:\S+)/.exec(output)?.[1];
          if (url !== undefined) resolve(url);
        });
        child.once("error", reject);
        child.once("exit", () => reject(new Error(`${args.join(" ")} exited before it listened.`)));
      });
      if (knownUrl === undefined) return printed;
      return Promise.race([printed, reachable(knownUrl, signal)]);
    },
    stopServers: async () => {
      const stopped = [...servers];
      servers.clear();
      for (const server of stopped) server.kill();
      await Promise.allSettled(stopped.map(({ closed }) => closed));
    },
    close: async () => {
      closing.abort();
      await environment.stopServers();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(name, () => void environment.close().finally(() => process.exit(130)));
  }
  try {
    await installApp(folder, [...Object.values(await packedPackages()), ...packages]);
    await compilePrograms(folder);
  } catch (error) {
    await environment.close();
    throw error;
  }
  return environment;
}

/** Compiles ahead, so that neither time nor memory of the compiler is measured. */
async function compilePrograms(folder: string): Promise<void> {
  const programs = join(import.meta.dirname, "programs");
  const entryPoints = [];
  for await (const file of glob("*.ts", { cwd: programs })) entryPoints.push(join(programs, file));
  await build({
    entryPoints,
    bundle: true,
    external: ["@tryon/*"],
    platform: "node",
    format: "esm",
    target: "es2024",
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
  });
}

async function reachable(url: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    const response = await fetch(url, { signal }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response !== undefined) return url;
    await delay(100, undefined, { signal });
  }
}
