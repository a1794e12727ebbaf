import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A package that is ready to be published. */
export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  /** The file name of its tarball, beside the list. */
  readonly tarball: string;
  /** Of the tarball, as registries tell it: `sha512-…`. */
  readonly integrity: string;
  /** What its changelog says of the version. */
  readonly notes: string;
}

/** What is published together, in this order, and the commit that it was made from. */
export interface Release {
  readonly commit: string;
  readonly packages: readonly PackedPackage[];
}

const file = "release.json";

export async function writeRelease(folder: string, release: Release): Promise<void> {
  await writeFile(join(folder, file), `${JSON.stringify(release, null, 2)}\n`);
}

/** Reads what `pack` has written into a folder. */
export async function readRelease(folder: string): Promise<Release> {
  const text = await readFile(join(folder, file), "utf8").catch(() => {
    throw new Error(`${folder} holds no ${file}. Make it with: npm run release -- pack ${folder}`);
  });
  return JSON.parse(text) as Release;
}
