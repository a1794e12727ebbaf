// Releases the packages, one step after another: docs/releasing.md says who runs which. Nothing here needs the workspace
// to be installed but `pack`, so that what may publish runs no code of others.
import { execFile } from "node:child_process";
import { appendFile, mkdir, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";

import {
  buildPackage as build,
  packageFolder as folderOf,
  published,
  type Published,
} from "../packages/test-kit/src/packages.ts";
import { root } from "../packages/test-kit/src/repository.ts";
import { announce, gitHub } from "./release/announce.ts";
import { notesOf } from "./release/changelog.ts";
import type { Manifest } from "./release/manifest.ts";
import { originFrom } from "./release/origin.ts";
import { packForRelease } from "./release/packing.ts";
import { publish } from "./release/publish.ts";
import { npmRegistry } from "./release/registry.ts";
import { readRelease, writeRelease, type PackedPackage } from "./release/release.ts";

const usage = `Usage: node scripts/release.ts <step>
  plan                              says what is to be done next: versions, publish or nothing
  pack <folder>                     builds, packs and checks what the registry does not have yet
  publish <folder> [--no-provenance]  publishes what is in the folder, except what is there already
  announce <folder>                 makes a tag and a release on GitHub for each package
`;

const run = promisify(execFile);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await run("git", args, { cwd: root });
  return stdout.trim();
}

interface Unpublished {
  readonly package: Published;
  readonly name: string;
  readonly version: string;
}

/** The packages whose version the registry does not have. */
async function unpublished(): Promise<readonly Unpublished[]> {
  const registry = npmRegistry({ provenance: false });
  const found: Unpublished[] = [];
  for (const one of published) {
    const text = await readFile(join(folderOf(one), "package.json"), "utf8");
    const { name, version } = JSON.parse(text) as Manifest;
    const there = (await registry.integrityOf(name, version)) !== undefined;
    say(`${name} ${version} is ${there ? "published" : "not published yet"}.`);
    if (!there) found.push({ package: one, name, version });
  }
  return found;
}

/** Notes of changes that have no version yet. */
async function pendingNotes(): Promise<readonly string[]> {
  const files = await readdir(join(root, ".changeset"));
  return files.filter((file) => file.endsWith(".md") && file !== "README.md");
}

/** Says what is next, and tells it a workflow. */
async function plan(): Promise<void> {
  const notes = await pendingNotes();
  const next =
    notes.length > 0 ? "versions" : (await unpublished()).length > 0 ? "publish" : "nothing";
  if (notes.length > 0) say(`${notes.length} changes have no version yet.`);
  say(`Next: ${next}`);
  const output = process.env["GITHUB_OUTPUT"];
  if (output) await appendFile(output, `next=${next}\n`);
}

async function pack(folder: string): Promise<void> {
  if ((await git("status", "--porcelain")) !== "")
    throw new Error("There are changes that are not committed, and a release is made of a commit.");
  const notes = await pendingNotes();
  if (notes.length > 0)
    throw new Error(
      `These changes have no version yet: ${notes.join(", ")}. Give them one with: npm run versions`,
    );
  const origin = originFrom(process.env);
  if (origin === undefined)
    say("GITHUB_REPOSITORY is not set: the packages will not say where their code is.");
  const packages: PackedPackage[] = [];
  await mkdir(folder, { recursive: true });
  for (const { package: one, name, version } of await unpublished()) {
    const changelog = notesOf(await readFile(join(folderOf(one), "CHANGELOG.md"), "utf8"), version);
    if (changelog === undefined)
      throw new Error(`The changelog of ${name} says nothing of ${version}.`);
    await build(one);
    const { tarball, integrity, bytes } = await packForRelease(one, folder, origin);
    packages.push({ name, version, tarball, integrity, notes: changelog });
    say(`${tarball}: ${bytes} bytes, ${integrity}`);
  }
  await writeRelease(folder, { commit: await git("rev-parse", "HEAD"), packages });
}

async function main(): Promise<boolean> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { "no-provenance": { type: "boolean", default: false } },
  });
  const [step = "", folder, ...more] = positionals;
  if (step === "plan" && folder === undefined) {
    await plan();
    return true;
  }
  if (folder === undefined || more.length > 0) throw new TypeError(usage);
  const path = resolve(folder);
  switch (step) {
    case "pack":
      await pack(path);
      return true;
    case "publish": {
      const registry = npmRegistry({ provenance: !values["no-provenance"] });
      return publish(await readRelease(path), path, registry, say);
    }
    case "announce":
      await announce(await readRelease(path), gitHub, say);
      return true;
    default:
      throw new TypeError(usage);
  }
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
