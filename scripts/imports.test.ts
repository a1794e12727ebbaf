import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { expect, it } from "vitest";

import { filesIn } from "./words.ts";

/** Returns the outermost folder below the root that has a package.json, or the root. */
function packageFolder(file: string): string {
  const parts = file.split("/");
  const folders = parts.map((_part, index) => join(root, ...parts.slice(0, index + 1)));
  return folders.find((folder) => existsSync(join(folder, "package.json"))) ?? root;
}

it("imports no file of another package by its path", () => {
  const climbing: string[] = [];
  for (const file of filesIn().filter((path) => /\.[cm]?tsx?$/.test(path))) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, path = ""] of text.matchAll(/(?:^|[\s}])(?:from|import\(?) ?"(\.\.[^"]+)"/g)) {
      const target = resolve(root, dirname(file), path);
      if (relative(packageFolder(file), target).startsWith("..")) climbing.push(`${file}: ${path}`);
    }
  }
  expect(climbing).toEqual([]);
});
