import { readdir, readFile, stat } from "node:fs/promises";
import { join, posix, relative, sep } from "node:path";

import { exportedFiles, type Manifest } from "./manifest.ts";

/** What one package may hold beside its `dist`, and how large it may become, packed, in bytes. */
export interface Allowance {
  readonly maxPackedBytes: number;
  /** Whether code of others is in its `dist`, whose licenses then have to be in the package. */
  readonly bundlesOthers: boolean;
}

/** Code and declarations; no map, as its sources would lie nowhere. */
const shipped = /^dist\/[\w/-]+\.(?:js|cjs|d\.ts|d\.cts)$/;
const always = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
const thirdParty = "THIRD-PARTY-LICENSES.txt";
const testing = /(?:^|\/)(?:testing|tests?|__tests__)\/|\.(?:test|spec)\./;

/** What is wrong with a package as it would be installed, one sentence each; `folder` holds it unpacked. */
export async function problemsOf(
  folder: string,
  allowance: Allowance,
  root: string,
): Promise<readonly string[]> {
  const files = await filesIn(folder);
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
  const problems: string[] = [];
  const needed = allowance.bundlesOthers ? [...always, thirdParty] : always;
  for (const file of needed) if (!files.has(file)) problems.push(`${file} is missing.`);
  for (const file of files.keys()) {
    if (needed.includes(file)) continue;
    if (!shipped.test(file)) problems.push(`${file} is nothing that anybody needs.`);
    if (testing.test(file)) problems.push(`${file} is for tests.`);
  }
  for (const [file, text] of files) {
    if (text.includes(root)) problems.push(`${file} names a folder of this machine.`);
    if (text.includes("@tryon/source")) problems.push(`${file} points at the sources.`);
    if (/^\/\/# sourceMappingURL=/m.test(text)) problems.push(`${file} names a map.`);
  }
  problems.push(...manifestProblems(manifest, files));
  problems.push(...strayProblems(manifest, files));
  for (const bin of Object.values(manifest.bin ?? {}).map((path) => posix.normalize(path))) {
    if (!files.get(bin)?.startsWith("#!/usr/bin/env node\n"))
      problems.push(`${bin} is a command and does not begin with #!/usr/bin/env node.`);
    const { mode } = await stat(join(folder, bin)).catch(() => ({ mode: 0 }));
    if ((mode & 0o111) !== 0o111) problems.push(`${bin} is a command and cannot be executed.`);
  }
  return problems;
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const read = paths
    .toSorted()
    .map(
      async (path) =>
        [relative(folder, path).split(sep).join("/"), await readFile(path, "utf8")] as const,
    );
  return new Map(await Promise.all(read));
}

function manifestProblems(manifest: Manifest, files: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  for (const { entry, target } of exportedFiles(manifest)) {
    if (!files.has(target))
      problems.push(`${entry} of package.json leads to ${target}, which is not there.`);
    const declarations = target.replace(/\.(c?)js$/, ".d.$1ts");
    // Where there are declarations beside the code, attw has shown that every resolver finds them.
    const typed =
      files.has(declarations) || files.has(declarations.replace("dist/browser/", "dist/"));
    if (entry.startsWith("exports") && /\.c?js$/.test(target) && !typed)
      problems.push(`${entry} of package.json has no declarations.`);
  }
  const text = JSON.stringify(manifest);
  for (const protocol of ["workspace:", "catalog:", "link:", "file:"]) {
    if (text.includes(`"${protocol}`))
      problems.push(`package.json depends on a "${protocol}…", which only the workspace knows.`);
  }
  for (const script of ["preinstall", "install", "postinstall", "prepare"]) {
    if (manifest.scripts?.[script] !== undefined)
      problems.push(`package.json runs "${script}" where it is installed.`);
  }
  return problems;
}

const specifier = /["'](\.\.?\/[^"'\n]+)["']/g;

/** Files that nothing leads to: the package.json names neither them nor what imports them. */
function strayProblems(manifest: Manifest, files: ReadonlyMap<string, string>): string[] {
  const reached = new Set<string>();
  const follow = (file: string): void => {
    const text = files.get(file);
    if (text === undefined || reached.has(file)) return;
    reached.add(file);
    for (const [, path = ""] of text.matchAll(specifier)) {
      const found = posix.join(posix.dirname(file), path);
      follow(/\.d\.c?ts$/.test(file) ? found.replace(/\.(c?)js$/, ".d.$1ts") : found);
    }
  };
  for (const { target } of exportedFiles(manifest)) follow(target);
  return [...files.keys()]
    .filter((file) => file.startsWith("dist/") && !reached.has(file))
    .map((file) => `${file} is imported by nothing.`);
}
