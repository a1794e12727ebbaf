import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What the tests of one file need and the workspace does without. */
const packages = [
  "node-20@npm:node@20.20.2",
  "node-22@npm:node@22.23.3",
  "bun@1.4.5",
  "deno@2.9.6",
  // The newest that also installs by an npm that runs on Node 20.
  "miniflare@4.20260426.0",
];

/** As much of miniflare as is used here; nobody checks it but the test itself. */
interface Miniflare {
  dispatchFetch(url: string): Promise<Response>;
  dispose(): Promise<void>;
}
type MiniflareConstructor = new (options: {
  readonly modules: true;
  readonly script: string;
  readonly compatibilityDate: string;
  readonly cf: false;
}) => Miniflare;

/** The runtimes, installed apart from the workspace. */
export interface Runtimes {
  readonly node20: string;
  readonly node22: string;
  readonly bun: string;
  readonly deno: string;
  /** Answers with what a worker answers to one request. */
  askWorker(script: string): Promise<unknown>;
  remove(): Promise<void>;
}

export async function installRuntimes(): Promise<Runtimes> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-runtimes-"));
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  // With their scripts, which put the programs for this machine into their places.
  await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder });
  const within = (path: string) => join(folder, "node_modules", path);
  return {
    node20: within("node-20/bin/node"),
    node22: within("node-22/bin/node"),
    bun: within(".bin/bun"),
    deno: within(".bin/deno"),
    async askWorker(script) {
      // Not a literal, so that neither compiler nor bundler looks for it.
      const path = pathToFileURL(within("miniflare/dist/src/index.js")).href;
      const { Miniflare } = (await import(path)) as { Miniflare: MiniflareConstructor };
      const worker = new Miniflare({
        modules: true,
        script,
        compatibilityDate: "2026-04-01",
        // Otherwise it asks a server of its maker where this machine is.
        cf: false,
      });
      try {
        const response = await worker.dispatchFetch("http://worker.example/");
        return await response.json();
      } finally {
        await worker.dispose();
      }
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
