import { createHash } from "node:crypto";
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

/** The integrity of a tarball, as registries tell it. */
export async function integrityOf(tarball: string): Promise<string> {
  return `sha512-${createHash("sha512")
    .update(await readFile(tarball))
    .digest("base64")}`;
}

/**
 * Reads what `pack` has written into a folder.
 *
 * @throws an Error when a tarball is none of that list, as one of another run that lies in the same folder.
 */
export async function readRelease(folder: string): Promise<Release> {
  const text = await readFile(join(folder, file), "utf8").catch(() => {
    throw new Error(`${folder} holds no ${file}. Make it with: npm run release -- pack ${folder}`);
  });
  const release = JSON.parse(text) as Release;
  for (const { tarball, integrity } of release.packages) {
    if ((await integrityOf(join(folder, tarball))) !== integrity)
      throw new Error(
        `${tarball} is not the one that ${file} tells of. Empty ${folder}, and make it anew.`,
      );
  }
  return release;
}
