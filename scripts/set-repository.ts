// Writes the address of the repository into what the release packs. npm refuses provenance for a manifest without
// `repository`, and relative links of a README lead nowhere outside of the repository.
import { readFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";

import { folderOf, published } from "./packages.ts";

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_SHA } = process.env;
if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY || !GITHUB_SHA)
  throw new Error(
    "Set GITHUB_SERVER_URL, GITHUB_REPOSITORY and GITHUB_SHA, as GitHub Actions does.",
  );
const page = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;

for (const name of published) {
  const directory = `packages/${name}`;
  const manifestPath = join(folderOf(name), "package.json");
  const manifest: object = JSON.parse(await readFile(manifestPath, "utf8"));
  const repository = { type: "git", url: `git+${page}.git`, directory };
  await writeFile(manifestPath, `${JSON.stringify({ ...manifest, repository }, null, 2)}\n`);

  const readmePath = join(folderOf(name), "README.md");
  const readme = await readFile(readmePath, "utf8");
  const absolute = (_link: string, path: string): string =>
    `](${page}/blob/${GITHUB_SHA}/${posix.join(directory, path)}`;
  await writeFile(readmePath, readme.replaceAll(/\]\((\.\.?\/[^)#\s]*)/g, absolute));
}
