import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build, type BuildOptions, type Metafile } from "esbuild";

import type { Bench } from "../subject.ts";

/** Imports of `@tryon/client` lead to the source that is measured. */
function fromSource({ client }: Pick<Bench, "client">): BuildOptions {
  return {
    alias: { "@tryon/client": join(client, "src/index.ts") },
    conditions: ["@tryon/source"],
    bundle: true,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
  };
}

/**
 * Makes one of `src/programs` into plain JavaScript beside the peers, with the client in it: the compiling of TypeScript
 * would count as its memory otherwise.
 *
 * @returns the path of the program.
 */
export async function bundleProgram(bench: Bench, name: string): Promise<string> {
  const { folder } = await bench.peers();
  await build({
    ...fromSource(bench),
    entryPoints: { [name]: fileURLToPath(new URL(`../programs/${name}.ts`, import.meta.url)) },
    platform: "node",
    splitting: true,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
  });
  return join(folder, `${name}.mjs`);
}

/** What esbuild makes of a module for browsers, by the names of the files, and how these import each other. */
export interface Page {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly outputs: Metafile["outputs"];
}

/**
 * Bundles a line of code, minified, as an app for browsers has it.
 *
 * @param splitting - Whether what is imported lazily gets files of its own.
 */
export async function bundlePage(bench: Bench, line: string, splitting: boolean): Promise<Page> {
  const { folder } = await bench.peers();
  const { outputFiles, metafile } = await build({
    ...fromSource(bench),
    stdin: { contents: line, resolveDir: folder },
    platform: "browser",
    // What only Node has is left to the polyfills of an app.
    external: ["node:*", "crypto", "stream", "http", "https", "events", "child_process"],
    minify: true,
    splitting,
    outdir: "out",
    write: false,
    metafile: true,
    absWorkingDir: folder,
  });
  const files = outputFiles.map(({ path, contents }): [string, Uint8Array] => [
    path.slice(folder.length + 1),
    contents,
  ]);
  return { files: new Map(files), outputs: metafile.outputs };
}
