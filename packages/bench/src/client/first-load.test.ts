import { gzipSync } from "node:zlib";

import { expect, test } from "vitest";

import type { Page } from "./bundle.ts";
import { firstLoad } from "./first-load.ts";

type Imports = readonly (readonly [path: string, lazy?: "lazy"])[];

function page(files: Readonly<Record<string, Imports>>): Page {
  const outputOf = (name: string, imports: Imports) => ({
    bytes: 0,
    inputs: {},
    exports: [],
    imports: imports.map(([path, lazy]) => ({
      path,
      kind: lazy ? ("dynamic-import" as const) : ("import-statement" as const),
      external: path.startsWith("node:"),
    })),
    ...(name === "entry.js" && { entryPoint: "<stdin>" }),
    ...(name === "raw.js" && { entryPoint: "src/raw.ts" }),
  });
  const outputs = Object.fromEntries(
    Object.entries(files).map(([name, imports]) => [name, outputOf(name, imports)]),
  );
  const contents = Object.keys(files).map((name) => [name, Buffer.from(name)] as const);
  return { files: new Map(contents), outputs };
}

const packed = (...names: readonly string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(name, { level: 9 }).length, 0);

test("what a page loads at first is the entry and what is imported at once, each file once", () => {
  const graph = {
    "entry.js": [["shared.js"], ["raw.js", "lazy"], ["node:http"]],
    "raw.js": [["shared.js"], ["deep.js"]],
    "shared.js": [["base.js"], ["entry.js"]],
    "base.js": [],
    "deep.js": [],
  } as const;
  expect(firstLoad(page(graph))).toEqual({
    plain: "entry.jsshared.jsbase.js".length,
    packed: packed("entry.js", "shared.js", "base.js"),
  });
});

test("a file that is named and not there is an error", () => {
  expect(() => firstLoad(page({ "entry.js": [["gone.js"]] }))).toThrow("There is no gone.js");
});
