import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Leaves docstrings out of the code: they are in the types, where editors read them. */
export const withoutDocstrings: NonNullable<Options["plugins"]>[number] = {
  name: "without-docstrings",
  renderChunk: (code) => ({ code: code.replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, "") }),
};

/**
 * Writes the licenses of the packages that a command bundles.
 *
 * @param generatedFrom Names of further packages, which generated modules contain.
 */
export function thirdPartyLicenses(...generatedFrom: readonly string[]): Plugin {
  return {
    name: "third-party-licenses",
    setup(build) {
      build.onEnd(({ metafile }) => {
        const bundled = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) =>
          Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
            const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
            return folder && bytesInOutput > 0 ? folder : [];
          }),
        );
        const folders = [...bundled, ...generatedFrom.map((name) => `node_modules/${name}`)];
        const titles = [...new Set(folders)].map(describeLicense).toSorted();
        mkdirSync("dist", { recursive: true });
        writeFileSync("dist/THIRD-PARTY-LICENSES.txt", titles.join(`\n${"-".repeat(80)}\n\n`));
      });
    },
  };
}

/** Returns the name, version and license of the package in a folder. */
function describeLicense(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (!file) throw new Error(`${folder}: add the text of its license, which it does not contain`);
  // Every manifest has these fields.
  const { name, version, license } = JSON.parse(
    readFileSync(`${folder}/package.json`, "utf8"),
  ) as Record<string, string>;
  const text = readFileSync(`${folder}/${file}`, "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** Reduces the bundled manifest of a package to its version. */
export function versionOnly({ name, version }: { name: string; version: string }): Plugin {
  const folder = name.replace("@tryon/", "");
  return {
    name: "version-only",
    setup(build) {
      build.onLoad({ filter: new RegExp(`[\\\\/]${folder}[\\\\/]package\\.json$`) }, () => ({
        contents: JSON.stringify({ version }),
        loader: "json",
      }));
    },
  };
}

/** Lets bundled CommonJS modules, such as commander, require modules of Node: ES modules have no `require`. */
export const requireBuiltins: Plugin = {
  name: "require-builtins",
  setup(build) {
    const namespace = "require-builtins";
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "require-call" ? { path, namespace } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `export * from ${JSON.stringify(path)};`,
    }));
  },
};
