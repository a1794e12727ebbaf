import { createHash } from "node:crypto";
import { access, glob, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { oneAtATime } from "./one-at-a-time.ts";
import { build, pack, published, root, type Published } from "./packages.ts";

/** Where the tarball of each package is. */
export type Tarballs = Readonly<Record<Published, string>>;

const notSources = new Set(["node_modules", "dist"]);

/**
 * The packages as they would be published, packed once for each state of the sources: several tests, at the same time
 * or one after another, share the tarballs.
 */
export async function packed(): Promise<Tarballs> {
  const folder = join(root, "node_modules/.packed", await stateOfSources());
  await oneAtATime(`packed ${root}`, async () => {
    if (await isThere(folder)) return;
    const unfinished = `${folder}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true });
    for (const name of published) {
      await build(name);
      await pack(name, unfinished);
    }
    await rename(unfinished, folder);
  });
  const files = await readdir(folder);
  const tarballs = published.map((name) => {
    const file = files.find((one) => one.startsWith(`tryon-${name}-`));
    if (file === undefined) throw new Error(`There is no tarball of ${name} in ${folder}.`);
    return [name, join(folder, file)] as const;
  });
  // One for each that is published.
  return Object.fromEntries(tarballs) as Record<Published, string>;
}

/** Names all that tarballs are made of. */
async function stateOfSources(): Promise<string> {
  const hash = createHash("sha256");
  const sources = ["packages/{client,webhooks,mock,contract}/**", "spec/*.json", "pnpm-lock.yaml"];
  const files = glob([...sources, "tsconfig.json", "package.json", "LICENSE"], {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name }) => notSources.has(name),
  });
  const paths: string[] = [];
  for await (const file of files) if (file.isFile()) paths.push(join(file.parentPath, file.name));
  for (const path of paths.toSorted()) hash.update(path).update(await readFile(path));
  return hash.digest("hex").slice(0, 16);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
