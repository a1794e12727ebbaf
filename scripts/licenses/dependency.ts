import { readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A package of others, and what it lets us do with it. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** As SPDX names it. */
  readonly license: string;
  readonly text: string;
}

/** Licenses that ask for no more than that their text is passed on. */
const allowed = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
];

interface OthersManifest {
  readonly name: string;
  readonly version: string;
  readonly license?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function manifestOf(folder: string): Promise<OthersManifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as OthersManifest;
}

/**
 * Reads what an installed package says of its license.
 *
 * @throws an Error when the license is none that is allowed, or its text is missing.
 */
export async function readDependency(folder: string): Promise<Dependency> {
  const { name, version, license } = await manifestOf(folder);
  if (typeof license !== "string" || !allowed.includes(license))
    throw new Error(
      `${name} ${version} has the license ${JSON.stringify(license)}, which is none of ${allowed.join(", ")}.`,
    );
  const file = (await readdir(folder)).find((entry) =>
    /^licen[cs]e(?:\.(?:md|txt))?$/i.test(entry),
  );
  if (file === undefined)
    throw new Error(`${name} ${version} comes without the text of its license.`);
  const text = (await readFile(join(folder, file), "utf8")).replaceAll("\r\n", "\n").trim();
  return { name, version, license, text };
}

/** The folders of all that is installed with a package: its dependencies, and theirs. */
export async function installedFolders(folder: string): Promise<readonly string[]> {
  const found = new Set<string>();
  const visit = async (from: string): Promise<void> => {
    for (const name of Object.keys((await manifestOf(from)).dependencies ?? {})) {
      const dependency = await resolveFrom(from, name);
      if (found.has(dependency)) continue;
      found.add(dependency);
      await visit(dependency);
    }
  };
  await visit(folder);
  return [...found].toSorted();
}

/** As Node looks for packages, which a package that exports no package.json does not hinder. */
async function resolveFrom(folder: string, name: string): Promise<string> {
  for (let at = await realpath(folder); ; at = dirname(at)) {
    const found = await realpath(join(at, "node_modules", name)).catch(() => undefined);
    if (found !== undefined) return found;
    if (at === dirname(at)) throw new Error(`${name}, which ${folder} needs, is not installed.`);
  }
}
