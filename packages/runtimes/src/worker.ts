import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";

import { writeProgram } from "./bundles.ts";
import { manifestOf, type Installation } from "./installation.ts";

/** Part of miniflare that is used here. Only the test checks these types. */
interface Miniflare {
  readonly ready: Promise<URL>;
  dispose(): Promise<void>;
}
type MiniflareConstructor = new (options: {
  readonly modules: true;
  readonly script: string;
  readonly compatibilityDate: string;
  readonly cf: false;
  readonly host: string;
  readonly port: number;
}) => Miniflare;

export async function workerVersions({ runtimes }: Installation): Promise<string> {
  const { version } = await manifestOf(runtimes, "workerd");
  const miniflare = await manifestOf(runtimes, "miniflare");
  return `workerd ${version} by miniflare ${miniflare.version}`;
}

/** Bundles a program with its imports, serves it as a worker, and returns its response. */
export async function runInWorker(
  { app, runtimes }: Installation,
  program: string,
  place: object,
): Promise<unknown> {
  const file = join(app, `worker-${program}.mjs`);
  await writeProgram(program, "worker", "esm", file);
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  const path = pathToFileURL(join(runtimes, "node_modules/miniflare/dist/src/index.js")).href;
  const { Miniflare } = (await import(path)) as { Miniflare: MiniflareConstructor };
  const worker = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? "",
    compatibilityDate: "2026-04-01",
    // Otherwise it sends a request to a server of its vendor.
    cf: false,
    host: "127.0.0.1",
    port: 0,
  });
  try {
    const response = await fetch(await worker.ready, {
      method: "POST",
      body: JSON.stringify(place),
    });
    // The code around the program responds with this type.
    const answer = (await response.json()) as { value?: unknown; error?: string };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.value;
  } finally {
    await worker.dispose();
  }
}
