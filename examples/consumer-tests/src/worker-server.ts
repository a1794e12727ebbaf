import { join } from "node:path";

import { build } from "esbuild";

import type { AppFolder } from "@tryon/test-kit/app-folder";

/** Part of Miniflare that is used here. It is installed with the example. */
interface Miniflare {
  readonly ready: Promise<URL>;
  getKVNamespace(name: string): Promise<{
    put(key: string, value: string): Promise<void>;
    get(key: string): Promise<string | null>;
  }>;
  getR2Bucket(name: string): Promise<Bucket>;
  getDurableObjectNamespace(name: string): Promise<Events>;
  dispose(): Promise<void>;
}

interface Bucket {
  list(): Promise<{ readonly objects: readonly { readonly key: string; readonly size: number }[] }>;
}

/** Methods of the objects of the example that can be called from outside. */
interface Events {
  getByName(name: string): {
    claim(owner: string, ttl: number): Promise<"claimed" | "open" | "done">;
    done(ttl: number): Promise<void>;
    release(owner: string): Promise<void>;
  };
}

type Constructor = new (options: object) => Miniflare;

/** Configuration that Wrangler reads from `wrangler.jsonc` of the example. */
type ReadConfiguration = (path: string) => {
  readonly main: string;
  readonly workerOptions: { readonly bindings: object };
};

/** Runs the worker of an example in workerd, with its `wrangler.jsonc`, some other bindings, and an entry around it. */
export async function serveWorker(
  example: AppFolder,
  port: number,
  bindings: Readonly<Record<string, string>>,
  entry?: string,
): Promise<Miniflare> {
  // The installed package has no types here.
  const { unstable_getMiniflareWorkerOptions: readConfiguration } = example.require("wrangler") as {
    unstable_getMiniflareWorkerOptions: ReadConfiguration;
  };
  const { Miniflare: Server, convertV4MiniflareOptions: converted } = example.require(
    "miniflare",
  ) as {
    Miniflare: Constructor;
    convertV4MiniflareOptions: (options: object) => object;
  };
  const { main, workerOptions } = readConfiguration(example.path("wrangler.jsonc"));
  const options = converted({
    ...workerOptions,
    bindings: { ...workerOptions.bindings, ...bindings },
    modules: [
      {
        type: "ESModule",
        path: join(example.folder, "worker.js"),
        contents: await bundled(example, entry ?? main),
      },
    ],
    host: "127.0.0.1",
    port,
    // Otherwise it requests the location of this machine from a server of its vendor.
    cf: false,
  });
  const worker = new Server(options);
  await worker.ready;
  return worker;
}

/** Bundles the worker into one file, as a deployment does. */
async function bundled(example: AppFolder, main: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [main],
    absWorkingDir: example.folder,
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    logLevel: "silent",
  });
  return outputFiles.map(({ text }) => text).join("");
}
