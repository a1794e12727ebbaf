// Writes down the licenses of what others have made: for each package that has code of theirs in its files a
// THIRD-PARTY-LICENSES.txt, and docs/licenses.md for all of them. With --check it only says what is out of date.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { bundledFolders } from "./licenses/bundled.ts";
import { installedFolders, readDependency, type Dependency } from "./licenses/dependency.ts";
import { packageFolder as folderOf, published, type Published } from "@tryon/test-kit/packages";
import { root } from "@tryon/test-kit/repository";

interface Others {
  readonly package: Published;
  readonly bundled: readonly Dependency[];
  readonly installed: readonly Dependency[];
}

function read(folders: readonly string[]): Promise<readonly Dependency[]> {
  return Promise.all(folders.map(readDependency));
}

async function othersIn(name: Published): Promise<Others> {
  return {
    package: name,
    bundled: await read(await bundledFolders(name)),
    installed: await read(await installedFolders(folderOf(name))),
  };
}

function noticesOf({ package: name, bundled }: Others): string | undefined {
  if (bundled.length === 0) return undefined;
  const line = "-".repeat(80);
  return [
    `The files of @tryon/${name} hold code of the packages below, under their licenses.\n`,
    ...bundled.map(
      ({ name: other, version, license, text }) =>
        `${line}\n${other} ${version} (${license})\n${line}\n\n${text}\n`,
    ),
  ].join("\n");
}

function pageOf(all: readonly Others[]): string {
  const rows = all.flatMap(({ package: name, bundled, installed }) => {
    const names = new Map([...installed, ...bundled].map((other) => [other.name, other]));
    return [...names.values()]
      .toSorted((a, b) => a.name.localeCompare(b.name, "en"))
      .map((other) => {
        const how = [
          ...(installed.some((one) => one.name === other.name) ? ["installed with it"] : []),
          ...(bundled.some((one) => one.name === other.name) ? ["in its files"] : []),
        ];
        return `| \`@tryon/${name}\` | \`${other.name}\` | ${other.license} | ${how.join(", ")} |`;
      });
  });
  return [
    "# Licenses\n",
    "The packages are under the MIT license. What they need from others, and what they carry in their own files, is under these:\n",
    ["| package | needs | license | how |", "| --- | --- | --- | --- |", ...rows].join("\n"),
    "\n`@tryon/webhooks` needs nothing. What is carried in files has its license's text in the package, as `THIRD-PARTY-LICENSES.txt`. Only licenses that ask for no more than that are let in: a check of the repository refuses others.\n",
    "Written by `npm run licenses`.\n",
  ].join("\n");
}

const [flag, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (flag !== undefined && flag !== "--check")) {
  process.stderr.write("Usage: node scripts/licenses.ts [--check]\n");
  process.exit(2);
}
const all: Others[] = [];
for (const name of published) all.push(await othersIn(name));
const files = new Map<string, string | undefined>([
  [join(root, "docs/licenses.md"), pageOf(all)],
  ...all.map(
    (others) =>
      [join(folderOf(others.package), "THIRD-PARTY-LICENSES.txt"), noticesOf(others)] as const,
  ),
]);
for (const [path, fresh] of files) {
  const present = await readFile(path, "utf8").catch(() => undefined);
  if (present === fresh) continue;
  if (flag === "--check") {
    process.stderr.write(`${relative(root, path)} is out of date. Run \`npm run licenses\`.\n`);
    process.exitCode = 1;
  } else {
    await (fresh === undefined ? rm(path) : writeFile(path, fresh));
    process.stdout.write(`wrote ${relative(root, path)}\n`);
  }
}
