import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { oneAtATime } from "./one-at-a-time.ts";

const run = promisify(execFile);

export const root = join(import.meta.dirname, "..");

/** The packages that are published, those first that others' tests need. */
export const published = ["client", "webhooks", "mock", "contract"] as const;
export type Published = (typeof published)[number];

export function folderOf(name: Published): string {
  return join(root, "packages", name);
}

/** Builds one package into its `dist`. */
export async function build(name: Published): Promise<void> {
  const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
  await run(process.execPath, [tsup, "--silent"], { cwd: folderOf(name) });
}

/**
 * Packs a built package as it would be published.
 *
 * @returns the path of the tarball.
 */
export async function pack(name: Published, into: string): Promise<string> {
  const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    packageManager: string;
  };
  const { stdout } = await run(
    "npx",
    ["--yes", packageManager, "pack", "--json", "--pack-destination", into],
    { cwd: folderOf(name) },
  );
  // The listing begins at the first brace; a package manager may write notices before it.
  const listing = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { filename: string };
  return listing.filename.startsWith("/") ? listing.filename : join(into, listing.filename);
}

/**
 * Builds packages and packs them. Several callers take turns, since all of them build into the same folders.
 *
 * @returns the paths of the tarballs, in the order of the names.
 */
export async function buildAndPack(
  names: readonly Published[],
  into: string,
): Promise<readonly string[]> {
  return oneAtATime(`build ${root}`, async () => {
    const tarballs: string[] = [];
    for (const name of names) {
      await build(name);
      tarballs.push(await pack(name, into));
    }
    return tarballs;
  });
}
