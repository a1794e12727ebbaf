import { mkdirSync, readFileSync } from "node:fs";

// @ts-expect-error The `exports` of this package leave out its types.
import untypedLicensePlugin from "esbuild-plugin-license";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

interface Dependency {
  readonly packageJson: {
    readonly name: string;
    readonly version: string;
    readonly license: string;
  };
  readonly licenseText: string;
}

/** The documented part of the plugin that the build uses. */
const licensePlugin = untypedLicensePlugin as (options: {
  banner: string;
  thirdParty: { output: { file: string; template(dependencies: readonly Dependency[]): string } };
}) => Plugin;

/**
 * Writes the licenses of the packages that a command bundles.
 *
 * @param generatedFrom Names of further packages, which generated modules contain.
 */
export function thirdPartyLicenses(...generatedFrom: readonly string[]): Plugin {
  const others = generatedFrom.map((name): Dependency => {
    const read = (file: string): string => readFileSync(`node_modules/${name}/${file}`, "utf8");
    // Every manifest has these fields.
    const packageJson = JSON.parse(read("package.json")) as Dependency["packageJson"];
    return { packageJson, licenseText: read("LICENSE") };
  });
  const writeLicenses = licensePlugin({
    banner: " ",
    thirdParty: {
      output: {
        file: "THIRD-PARTY-LICENSES.txt",
        template: (dependencies) =>
          [...dependencies, ...others]
            .filter(({ packageJson: { name } }) => !name.startsWith("@tryon/"))
            .toSorted((one, other) => (one.packageJson.name < other.packageJson.name ? -1 : 1))
            .map(
              ({ packageJson: { name, version, license }, licenseText }) =>
                `${name} ${version} (${license})\n\n${licenseText.trim()}\n`,
            )
            .join(`\n${"-".repeat(80)}\n\n`),
      },
    },
  });
  return {
    ...writeLicenses,
    setup(build) {
      // The plugin needs the folder, which tsup creates later.
      mkdirSync("dist", { recursive: true });
      return writeLicenses.setup(build);
    },
  };
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
