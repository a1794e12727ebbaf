import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { packageFolder as folderOf, published } from "@tryon/test-kit/packages";
import { root } from "@tryon/test-kit/repository";

const page = readFileSync(join(root, "docs/support.md"), "utf8");

/** Where tests name the versions that they install: in themselves, in the matrix of runtimes, and in the workspace. */
function namedInTests(): string {
  const files = ["packages", "scripts"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /^(?!.*(?:node_modules|dist)\/).*\.ts$/.test(file))
      .map((file) => join(root, folder, file)),
  );
  const catalog = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8").replace(
    /^ {2}"?([\w@/.-]+?)"?: (\d.*)$/gm,
    "$1@$2",
  );
  const matrix = readFileSync(join(root, "packages/runtimes/src/installation.ts"), "utf8").replace(
    /^ {2}(\w+): "(\d[\d.]*)",$/gm,
    "$1@$2",
  );
  return [...files.map((file) => readFileSync(file, "utf8")), catalog, matrix].join("\n");
}

it("names no version of anything that no test runs", () => {
  const versions = [...page.matchAll(/`((?:@[\w-]+\/)?[\w-]+@\d[\w.]*)`/g)].map(
    ([, name = ""]) => name,
  );
  expect(versions.length).toBeGreaterThan(10);
  const tests = namedInTests();
  // The oldest msw is named by its version alone, in a list of nothing but releases of msw.
  const missing = versions.filter(
    (version) => !tests.includes(version) && version !== "msw@2.11.0",
  );
  expect(missing).toEqual([]);
  expect(tests).toContain('releases = ["2.11.0", "2", "3"]');
});

it.each(published)("tells the oldest Node that %s runs on", (name) => {
  const { engines } = JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8")) as {
    engines: { node: string };
  };
  const row = page.split("\n").find((line) => line.startsWith(`| \`@tryon/${name}\``));
  expect(row?.split("|")[2]?.trim()).toBe(engines.node.replace(">=", "≥ "));
});
