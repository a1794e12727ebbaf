import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  access,
  cp,
  glob,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

import { published, root, type Published } from "./packages.ts";

const run = promisify(execFile);

/** Where the tarball of each package is. */
export type Tarballs = Readonly<Record<Published, string>>;

/** After which time whoever packs is taken for dead, in milliseconds. */
const longest = 180_000;

const notSources = new Set(["node_modules", "dist"]);

/**
 * The packages as they would be published. They are built in a copy, so that nobody who builds in the workspace at the
 * same time is in the way, and once for each state of the sources: several tests, at the same time or one after
 * another, share the tarballs.
 */
export async function packed(): Promise<Tarballs> {
  const folder = join(root, "node_modules/.packed", await stateOfSources());
  const lock = `${folder}.lock`;
  await mkdir(join(root, "node_modules/.packed"), { recursive: true });
  while (!(await isThere(folder))) {
    const mine = await mkdir(lock).then(
      () => true,
      () => false,
    );
    if (mine) await packInto(folder).finally(() => rm(lock, { recursive: true, force: true }));
    else await waitFor(lock);
  }
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

async function packInto(folder: string): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), "tryon-packing-"));
  const tarballs = `${folder}.${process.pid}`;
  const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    packageManager: string;
  };
  try {
    await mkdir(tarballs);
    await copyWorkspace(copy);
    for (const name of published) {
      const cwd = join(copy, "packages", name);
      const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
      await run(process.execPath, [tsup, "--silent"], { cwd });
      await run("npx", ["--yes", packageManager, "pack", "--pack-destination", tarballs], { cwd });
    }
    await rename(tarballs, folder);
  } finally {
    await rm(tarballs, { recursive: true, force: true });
    await rm(copy, { recursive: true });
  }
}

/** Copies what is built, with what is installed here beside it. */
async function copyWorkspace(into: string): Promise<void> {
  for (const name of ["package.json", "pnpm-workspace.yaml", "tsconfig.json", "spec"]) {
    await cp(join(root, name), join(into, name), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(into, "node_modules"));
  for (const name of published) {
    const from = join(root, "packages", name);
    const to = join(into, "packages", name);
    const filter = (path: string) => !notSources.has(basename(path));
    await cp(from, to, { recursive: true, filter });
    await symlink(join(from, "node_modules"), join(to, "node_modules"));
  }
}

/** Waits until somebody else has packed, who may die over it. */
async function waitFor(lock: string): Promise<void> {
  while (await isThere(lock)) {
    const since = await stat(lock).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (Date.now() - since > longest) await rm(lock, { recursive: true, force: true });
    await setTimeout(200);
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
