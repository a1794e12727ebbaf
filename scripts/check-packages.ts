// Builds and packs the published packages, and checks what users would install: the manifest (publint), the types as
// resolvers find them (attw), the bytes that pages load (size-limit) and the licenses of the dependencies (pnpm).
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import {
  buildPackage,
  packageFolder,
  packedPackages,
  published,
  type Published,
} from "../packages/test-kit/src/packages.ts";
import { root } from "../packages/test-kit/src/repository.ts";

/** Only this check needs it, so the workspace does not install it. */
const attw = "@arethetypeswrong/cli@0.18.5";
const allowedLicenses = /^(?:0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|ISC|MIT)$/;
const tarballs = await packedPackages();

async function output(args: readonly [string, ...string[]], cwd = root): Promise<string> {
  const [command, ...rest] = args;
  return (await promisify(execFile)(command, rest, { cwd })).stdout;
}

async function checkPackage(name: Published): Promise<string> {
  const tarball = tarballs[name];
  // The tarball may be from an earlier run.
  if (!existsSync(join(packageFolder(name), "dist"))) await buildPackage(name);
  await output(["node_modules/.bin/publint", "run", tarball, "--strict"]);
  const profile = name === "contract" ? "esm-only" : "node16";
  await output(["npx", "--yes", attw, tarball, "--profile", profile]);
  const hasBudgets = existsSync(join(packageFolder(name), ".size-limit.json"));
  const sizeLimit = join(root, "node_modules/.bin/size-limit");
  return `@tryon/${name}\n${hasBudgets ? await output([sizeLimit], packageFolder(name)) : ""}`;
}

async function checkLicenses(): Promise<string> {
  const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    packageManager: string;
  };
  const filters = published.map((name) => `--filter=@tryon/${name}`);
  const list = ["licenses", "list", "--prod", "--json", ...filters];
  const found = JSON.parse(await output(["npx", "--yes", packageManager, ...list])) as object;
  const refused = Object.entries(found).filter(([license]) => !allowedLicenses.test(license));
  if (refused.length > 0) throw new Error(`Licenses not allowed: ${JSON.stringify(refused)}`);
  return `Licenses: ${Object.keys(found).join(", ")}\n`;
}

const waiting = [...published.map((name) => () => checkPackage(name)), checkLicenses];
const work = async (): Promise<void> => {
  for (let next = waiting.shift(); next; next = waiting.shift()) process.stdout.write(await next());
};
try {
  await Promise.all([work(), work()]);
} catch (error) {
  process.stderr.write(`${String(Object(error).stdout ?? "")}${String(error)}\n`);
  process.exitCode = 1;
}
