// Builds and packs the published packages, and checks what users would install: the manifest (publint), the types as
// resolvers find them (attw), the bytes that pages load (size-limit) and the licenses of the dependencies (pnpm).
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { build, folderOf, pack, published, root, type Published } from "./packages.ts";

const run = promisify(execFile);
const inModules = (path: string): string => join(root, "node_modules", path);

/** Only this check needs it, so the workspace does not install it. */
const attw = "@arethetypeswrong/cli@0.18.5";
const allowedLicenses = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0"];
allowedLicenses.push("ISC", "MIT");

async function checkPackage(name: Published, folder: string): Promise<void> {
  await build(name);
  const tarball = await pack(name, folder);
  await run(process.execPath, [inModules("publint/src/cli.js"), "run", tarball, "--strict"]);
  const profile = name === "contract" ? "esm-only" : "node16";
  await run("npx", ["--yes", attw, tarball, "--profile", profile]);
  process.stdout.write(`@tryon/${name}: publint and attw find nothing\n`);
  const cwd = folderOf(name);
  if (!existsSync(join(cwd, ".size-limit.json"))) return;
  const { stdout } = await run(process.execPath, [inModules("size-limit/bin.js")], { cwd });
  process.stdout.write(stdout);
}

async function checkLicenses(): Promise<void> {
  const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    packageManager: string;
  };
  const filters = published.map((name) => `--filter=@tryon/${name}`);
  const list = ["licenses", "list", "--prod", "--json", ...filters];
  const { stdout } = await run("npx", ["--yes", packageManager, ...list], { cwd: root });
  const found = JSON.parse(stdout) as Record<string, readonly { readonly name: string }[]>;
  for (const [license, packages] of Object.entries(found)) {
    if (allowedLicenses.includes(license)) continue;
    const names = packages.map(({ name }) => name).join(", ");
    throw new Error(`${names}: the license ${license} is not among ${allowedLicenses.join(", ")}.`);
  }
  process.stdout.write(`licenses of dependencies: ${Object.keys(found).join(", ")}\n`);
}

const folder = await mkdtemp(join(tmpdir(), "tryon-packages-"));
const waiting = published.map((name) => () => checkPackage(name, folder));
waiting.push(checkLicenses);
const next = async (): Promise<void> => {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) await check();
};
try {
  await Promise.all([next(), next()]);
} catch (error) {
  const { stdout = "", stderr = "" } = Object(error);
  process.stderr.write(`${String(stdout)}${String(stderr)}${String(error)}\n`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
