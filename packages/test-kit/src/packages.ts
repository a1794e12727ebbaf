import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { glob, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { root } from "./repository.ts";
import { withLock } from "./with-lock.ts";

const run = promisify(execFile);

/** The packages that are published, ordered so that tests find what they need. */
export const published = ["client", "webhooks", "mock", "contract", "cli", "ai-sdk"] as const;
export type Published = (typeof published)[number];

export type Tarballs = Readonly<Record<Published, string>>;

export function packageFolder(name: Published): string {
  return join(root, "packages", name);
}

/** Builds a package into an empty `dist`: a file of an earlier build would be published too. */
export async function buildPackage(name: Published): Promise<void> {
  await rm(join(packageFolder(name), "dist"), { recursive: true, force: true });
  const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
  await run(process.execPath, [tsup, "--silent"], { cwd: packageFolder(name) });
}

/** Packs a built package as it would be published, and returns the path of the tarball. */
export async function packPackage(name: Published, into: string): Promise<string> {
  const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    packageManager: string;
  };
  const { stdout } = await run(
    "npx",
    ["--yes", packageManager, "pack", "--json", "--pack-destination", into],
    { cwd: packageFolder(name) },
  );
  // A package manager may print notices before the JSON.
  const listing = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { filename: string };
  return listing.filename.startsWith("/") ? listing.filename : join(into, listing.filename);
}

/** Packs all packages as they would be published, once per state of the sources: all tests share the tarballs. */
export async function packedPackages(): Promise<Tarballs> {
  const folder = await withLock(`packed ${root}`, async () => {
    // Within the lock, since a build writes files beside the sources for a moment.
    const packed = join(root, "node_modules/.packed", await digestOfSources());
    if (await stat(packed).catch(() => undefined)) return packed;
    const unfinished = `${packed}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true });
    for (const name of published) {
      await buildPackage(name);
      await packPackage(name, unfinished);
    }
    await rename(unfinished, packed);
    return packed;
  });
  const files = await readdir(folder);
  const tarballs = published.map((name) => {
    const file = files.find((one) => one.startsWith(`tryon-${name}-`));
    if (file === undefined) throw new Error(`No tarball of ${name} in ${folder}.`);
    return [name, join(folder, file)] as const;
  });
  // One entry per published package.
  return Object.fromEntries(tarballs) as Record<Published, string>;
}

/** Neither packed nor part of what is packed. */
const isOutside = ({ name }: { readonly name: string }): boolean =>
  /^(?:node_modules|dist|test|.*\.test\.ts)$/.test(name);

async function digestOfSources(): Promise<string> {
  const hash = createHash("sha256");
  const sources = ["packages/{c*,mock,shared,webhooks}/**", "spec/*.json", "pnpm-lock.yaml"];
  const files = glob([...sources, "tsconfig.json", "package.json", "LICENSE"], {
    cwd: root,
    withFileTypes: true,
    exclude: isOutside,
  });
  const paths: string[] = [];
  for await (const file of files) if (file.isFile()) paths.push(join(file.parentPath, file.name));
  for (const path of paths.toSorted()) hash.update(path).update(await readFile(path));
  return hash.digest("hex").slice(0, 16);
}
