import { readFileSync } from "node:fs";

// @ts-expect-error The `exports` of this package leave out its types.
import untypedLicensePlugin from "esbuild-plugin-license";
import preactJson from "preact/package.json" with { type: "json" };
import { defineConfig, type Options } from "tsup";

import packageJson from "./package.json" with { type: "json" };

const shared: Options = {
  target: "es2022",
  treeshake: true,
  removeNodeProtocol: false,
  // It is looked for when the composite engine is asked for, and not before.
  external: ["sharp"],
};

/**
 * An import of node:http makes Node load its client of WebSockets too, which takes as long as Node itself does to start;
 * asked for as a value, it comes alone and when it is needed.
 */
const lateBuiltins: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "late-builtins",
  setup(build) {
    build.onResolve({ filter: /^(node:)?http2?$/ }, ({ path }) => ({
      path,
      namespace: "late-builtins",
    }));
    build.onLoad({ filter: /.*/, namespace: "late-builtins" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/** Of the manifest only the version is for shipping. */
const versionOnly: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "version-only",
  setup(build) {
    build.onLoad({ filter: /[\\/]mock[\\/]package\.json$/ }, () => ({
      contents: JSON.stringify({ version: packageJson.version }),
      loader: "json",
    }));
  },
};

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
}) => NonNullable<Options["esbuildPlugins"]>[number];

/** Package in the generated control page, which the plugin does not find. */
const preact: Dependency = {
  packageJson: preactJson,
  licenseText: readFileSync("node_modules/preact/LICENSE", "utf8"),
};

/** Writes the licenses of the packages that the command and the control page contain. */
const thirdPartyLicenses = licensePlugin({
  banner: " ",
  thirdParty: {
    output: {
      file: "THIRD-PARTY-LICENSES.txt",
      template: (dependencies) =>
        [...dependencies, preact]
          .map(
            ({ packageJson: { name, version, license }, licenseText }) =>
              `${name} ${version} (${license})\n\n${licenseText.trim()}\n`,
          )
          .join(`\n${"-".repeat(80)}\n\n`),
    },
  },
});

export default defineConfig([
  {
    ...shared,
    entry: { index: "src/index.ts", node: "src/node/index.ts", msw: "src/msw/index.ts" },
    format: ["esm", "cjs"],
    platform: "neutral",
    external: ["sharp", "msw", /^node:/],
    dts: true,
    esbuildPlugins: [versionOnly],
  },
  {
    ...shared,
    // The command is one file: it starts fast, and what is installed beside it does not matter.
    entry: { cli: "src/cli/main.ts" },
    format: ["esm"],
    platform: "node",
    noExternal: [/^(?!sharp$)/],
    splitting: false,
    minify: true,
    esbuildPlugins: [lateBuiltins, versionOnly, thirdPartyLicenses],
  },
]);
