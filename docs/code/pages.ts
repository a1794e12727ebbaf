import { access, glob, readFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";

import { blocksOf, type Block } from "./blocks.ts";
import type { Checks } from "./checks.ts";

/** A page whose code is held to work. */
export interface ShownPage {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly checks: Checks;
}

const everywhere = [
  "README.md",
  "packages/*/README.md",
  "examples/*/README.md",
  "docs/**/*.md",
  "CONTRIBUTING.md",
];

/** What is installed, built or generated is no page. */
const isMade = (path: string): boolean => /node_modules|(^|\/)(out|dist|\.[^/]+)(\/|$)/.test(path);

/** Every page that this repository shows people, in the order of their names. */
export async function shownPages(): Promise<readonly ShownPage[]> {
  const paths: string[] = [];
  for await (const path of glob(everywhere, { cwd: root, exclude: isMade })) paths.push(path);
  return await Promise.all(
    paths.toSorted().map(async (path) => {
      const text = await readFile(join(root, path), "utf8");
      return { path, text, blocks: blocksOf(path, text), checks: await checksOf(path) };
    }),
  );
}

/** The checks stand beside a page of the docs, and for the pages of packages in a folder of their own. */
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
