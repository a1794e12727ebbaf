import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { filesIn } from "./words.ts";

/**
 * Layers of each package, from top to bottom. A file may import its own layer and those below, types included. A layer is a
 * folder or a file of `src`, or several that import each other: `a + b`. Layers in one row do not import each other.
 */
export const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  client: [
    ["react", "node", "native"],
    ["stores"],
    ["batch", "proxy", "raw", "session", "testing"],
    ["photos"],
    ["index"],
    ["client", "page-client"],
    ["parts"],
    ["jobs"],
    ["billing"],
    ["images"],
    ["api"],
    ["http"],
    ["config"],
    ["errors"],
    ["types"],
  ],
  webhooks: [
    ["cli", "node"],
    ["index", "adapters", "reconcile", "stores"],
    ["explain", "receiver", "signing"],
    ["verification"],
    ["webhook-error"],
  ],
  mock: [
    ["cli", "vitest"],
    ["node", "msw"],
    ["index"],
    ["mock"],
    ["control + http + mock-interface"],
    ["default-keys"],
    ["delivery + service + settings + store"],
    ["cors-origins"],
    ["abortable", "bounded-bytes", "engine", "options", "system", "version"],
    ["generated"],
  ],
  contract: [
    ["cli"],
    ["import", "index", "replay"],
    ["contract"],
    ["run"],
    ["run-end"],
    ["observe"],
    ["assert-passed", "contract-options", "probes"],
    ["checks", "report"],
    ["check"],
    ["session"],
    ["job-waits"],
    ["record + seen"],
    ["submission", "target"],
    ["outcome", "schema-checks"],
    ["images", "open-points", "version", "wire"],
  ],
};

/** Content of files by their path below the root. */
export type Sources = Readonly<Record<string, string>>;

export function sourcesOf(name: string): Sources {
  const files = filesIn(`packages/${name}/src/*.ts`, `packages/${name}/src/*.tsx`);
  const shipped = files.filter((file) => !file.includes(".test."));
  return Object.fromEntries(shipped.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

const imports = /(?:^|[\s}])(?:from|import\(?)\s*"((?:\.|#|@tryon\/)[^"]*)"/g;

/** Returns a sentence for each file without a layer, and for each import of a layer that is not below. */
export function findUpwardImports(name: string, sources: Sources): string[] {
  const folder = `packages/${name}`;
  const rows = new Map<string, { readonly row: number; readonly layer: string }>();
  for (const [row, peers] of (layers[name] ?? []).entries()) {
    for (const layer of peers)
      for (const part of layer.split(" + ")) rows.set(part, { row, layer });
  }
  const targetOf = entryPointsOf(folder);
  return Object.entries(sources).flatMap(([file, text]) => {
    const own = rows.get(partOf(folder, file));
    if (!own) return [`${file} is in no layer. Add its folder to scripts/layers.ts.`];
    const code = text.replaceAll(/^ *(?:\*|\/\/).*$/gm, "");
    return Array.from(code.matchAll(imports), ([, path = ""]) => path).flatMap((path) => {
      const target = path.startsWith(".") ? join(file, "..", path) : targetOf(path);
      const other = target === undefined ? undefined : rows.get(partOf(folder, target));
      if (!other || other.layer === own.layer || other.row > own.row) return [];
      return [`${file} imports ${path}, which is not below it.`];
    });
  });
}

/** Returns the folder or file of `src` that has a file. */
function partOf(folder: string, file: string): string {
  return relative(`${folder}/src`, file).replace(/\/.*|\.tsx?$/, "");
}

/** Returns a function that resolves imports of the package by its name, and those that depend on the platform. */
function entryPointsOf(folder: string): (path: string) => string | undefined {
  // Every manifest has these fields. Entry points and platforms have their files in an object.
  const {
    name,
    exports,
    imports: platforms,
  } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Readonly<
    Record<"name", string> & Record<"exports" | "imports", Record<string, object>>
  >;
  return (path) => {
    const entry = path.startsWith("#")
      ? platforms[path]
      : path.startsWith(name) && exports[`.${path.slice(name.length)}`];
    const { "@tryon/source": source, default: other }: Record<string, unknown> = {
      ...Object(entry),
    };
    const file = source ?? other;
    return typeof file === "string" ? join(folder, file) : undefined;
  };
}

export function describeLayers(name: string): string {
  const rows = (layers[name] ?? []).map((peers) => peers.map((peer) => `\`${peer}\``).join(", "));
  return rows.map((row, index) => `${index + 1}. ${row}`).join("\n");
}
