import { access, glob, readFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";

import { blocksOf, type Block } from "./blocks.ts";
import type { Checks } from "./checks.ts";

export interface ShownPage {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly checks: Checks;
}

const patterns = [
  "README.md",
  "packages/*/README.md",
  "examples/*/README.md",
  "docs/**/*.md",
  "CONTRIBUTING.md",
];

const isGenerated = (path: string): boolean =>
  /node_modules|(^|\/)(out|dist|\.[^/]+)(\/|$)/.test(path);

/** Reads all pages of the repository, sorted by path. */
export async function shownPages(): Promise<readonly ShownPage[]> {
  const paths: string[] = [];
  for await (const path of glob(patterns, { cwd: root, exclude: isGenerated })) paths.push(path);
  return await Promise.all(
    paths
      .toSorted()
      .map(async (path) => ({ path, ...(await readPage(path)), checks: await checksOf(path) })),
  );
}

/** Reads the text and the code blocks of a page, by its path from the root of the repository. */
export async function readPage(path: string): Promise<Pick<ShownPage, "text" | "blocks">> {
  const text = await readFile(join(root, path), "utf8");
  return { text, blocks: blocksOf(path, text) };
}

/** Returns the path of the checks of a page: beside a page of the docs, in `docs/readmes` for READMEs. */
function checksFile(path: string): string {
  const [, name] = /^packages\/([^/]+)\/README\.md$/.exec(path) ?? [];
  if (name !== undefined) return `docs/readmes/${name}.checks.ts`;
  if (path === "README.md") return "docs/readmes/repository.checks.ts";
  return path.replace(/\.md$/, ".checks.ts");
}

async function checksOf(path: string): Promise<Checks> {
  const file = join(root, checksFile(path));
  try {
    await access(file);
  } catch {
    return {};
  }
  const { checks } = (await import(file)) as { checks: Checks };
  return checks;
}
