import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

import { packPackage as pack, type Published } from "../../packages/test-kit/src/packages.ts";
import { root } from "../../packages/test-kit/src/repository.ts";
import { allowances } from "./allowances.ts";
import { problemsOf } from "./contents.ts";
import { publishedManifest, publishedReadme, type Origin } from "./origin.ts";
import { integrityOf } from "./release.ts";

const run = promisify(execFile);

/** A tarball that has passed the checks of its contents. */
export interface Packed {
  readonly tarball: string;
  readonly integrity: string;
  readonly bytes: number;
}

/**
 * Packs a built package for the registry: what pnpm packs, with the repository's address in its manifest and README.
 *
 * @throws an Error that names everything that does not belong into the package, or is missing there.
 */
export async function packForRelease(
  name: Published,
  into: string,
  origin: Origin | undefined,
): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-packing-"));
  try {
    const unpacked = await unpack(await pack(name, folder), join(folder, "first"));
    await rewrite(unpacked, `packages/${name}`, origin);
    const { stdout } = await run(
      "npm",
      ["pack", "--json", "--ignore-scripts", "--pack-destination", into],
      { cwd: unpacked },
    );
    const [made] = JSON.parse(stdout) as [{ filename: string }];
    const tarball = join(into, basename(made.filename));
    await check(name, tarball, await unpack(tarball, join(folder, "second")));
    const { size: bytes } = await stat(tarball);
    return { tarball: basename(tarball), integrity: await integrityOf(tarball), bytes };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function rewrite(
  unpacked: string,
  folder: string,
  origin: Origin | undefined,
): Promise<void> {
  const manifestPath = join(unpacked, "package.json");
  const manifest = JSON.parse(await readFile(manifestPath, "utf8")) as Record<string, unknown>;
  const shown = publishedManifest(manifest, folder, origin);
  await writeFile(manifestPath, `${JSON.stringify(shown, null, 2)}\n`);
  const readmePath = join(unpacked, "README.md");
  const readme = publishedReadme(await readFile(readmePath, "utf8"), folder, origin);
  await writeFile(readmePath, readme);
}

/** @throws an Error that names everything that is wrong. */
async function check(name: Published, tarball: string, unpacked: string): Promise<void> {
  const allowance = allowances[name];
  const problems = [...(await problemsOf(unpacked, allowance, root))];
  const { size } = await stat(tarball);
  if (size > allowance.maxPackedBytes)
    problems.push(`It takes ${size} bytes, packed, of ${allowance.maxPackedBytes}.`);
  if (problems.length > 0)
    throw new Error(`@tryon/${name} is not fit to be published:\n  ${problems.join("\n  ")}`);
}

/** @returns the folder that the tarball holds. */
async function unpack(tarball: string, into: string): Promise<string> {
  await mkdir(into);
  await run("tar", ["-xpzf", tarball, "-C", into]);
  return join(into, "package");
}
