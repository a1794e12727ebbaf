import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { problemsOf } from "./contents.ts";

let folder: string;

const manifest = {
  name: "@tryon/hat",
  version: "1.0.0",
  bin: { "tryon-hat": "./dist/cli.js" },
  exports: {
    ".": { import: { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    "./package.json": "./package.json",
  },
};

/** A package with nothing amiss. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tryon-contents-"));
  await write("package.json", JSON.stringify(manifest));
  for (const file of ["CHANGELOG.md", "LICENSE", "README.md"]) await write(file, "Read me.");
  await write("dist/index.js", 'export * from "./chunk-A1.js";');
  await write("dist/chunk-A1.js", "export const hat = 1;");
  await write("dist/index.d.ts", 'export * from "./hat.js";');
  await write("dist/hat.d.ts", "export declare const hat = 1;");
  await write("dist/cli.js", "#!/usr/bin/env node\n");
  await chmod(join(folder, "dist/cli.js"), 0o755);
});

afterEach(() => rm(folder, { recursive: true }));

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), text);
}

function problems(bundlesOthers = false) {
  return problemsOf(folder, { maxPackedBytes: 1, bundlesOthers }, "/builds/hat");
}

it("finds nothing wrong with a package that holds what it needs", async () => {
  expect(await problems()).toEqual([]);
});

it.each([
  ["dist/index.js.map", "{}", "dist/index.js.map is nothing that anybody needs."],
  ["src/index.ts", "", "src/index.ts is nothing that anybody needs."],
  [".env", "", ".env is nothing that anybody needs."],
  ["dist/notes.md", "", "dist/notes.md is nothing that anybody needs."],
  ["dist/hat.test.js", "", "dist/hat.test.js is for tests."],
  ["dist/testing/hat.js", "", "dist/testing/hat.js is for tests."],
  ["dist/chunk-OLD.js", "", "dist/chunk-OLD.js is imported by nothing."],
  ["dist/chunk-A1.js", "//# sourceMappingURL=a.js.map", "dist/chunk-A1.js names a map."],
  ["dist/chunk-A1.js", '"/builds/hat/src"', "dist/chunk-A1.js names a folder of this machine."],
  ["README.md", "@tryon/source", "README.md points at the sources."],
  [
    "dist/cli.js",
    "run();",
    "dist/cli.js is a command and does not begin with #!/usr/bin/env node.",
  ],
])("names %s with %o", async (file, text, problem) => {
  await write(file, text);
  expect(await problems()).toContain(problem);
});

it.each([
  ["LICENSE", "LICENSE is missing."],
  ["CHANGELOG.md", "CHANGELOG.md is missing."],
  [
    "dist/index.js",
    'exports["."]["import"]["default"] of package.json leads to dist/index.js, which is not there.',
  ],
  ["dist/index.d.ts", 'exports["."]["import"]["default"] of package.json has no declarations.'],
])("misses %s", async (file, problem) => {
  await rm(join(folder, file));
  expect(await problems()).toContain(problem);
});

it("wants the licenses of others where their code is carried, and nowhere else", async () => {
  expect(await problems(true)).toEqual(["THIRD-PARTY-LICENSES.txt is missing."]);
  await write("THIRD-PARTY-LICENSES.txt", "Theirs.");
  expect(await problems(true)).toEqual([]);
  expect(await problems(false)).toEqual([
    "THIRD-PARTY-LICENSES.txt is nothing that anybody needs.",
  ]);
});

it("wants a command that can be executed", async () => {
  await chmod(join(folder, "dist/cli.js"), 0o644);
  expect(await problems()).toEqual(["dist/cli.js is a command and cannot be executed."]);
});

it.each([
  [{ dependencies: { coat: "workspace:*" } }, 'package.json depends on a "workspace:…"'],
  [{ dependencies: { coat: "catalog:" } }, 'package.json depends on a "catalog:…"'],
  [{ scripts: { postinstall: "curl" } }, 'package.json runs "postinstall"'],
])("refuses a manifest with %o", async (own, problem) => {
  await write("package.json", JSON.stringify({ ...manifest, ...own }));
  expect(await problems()).toEqual([expect.stringContaining(problem)]);
});
