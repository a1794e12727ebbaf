import { thirdPartyLicenses, versionOnly } from "@tryon/command-line/build";
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

export default defineConfig([
  {
    ...shared,
    entry: { index: "src/index.ts", node: "src/node/index.ts", msw: "src/msw/index.ts" },
    format: ["esm", "cjs"],
    platform: "neutral",
    external: ["sharp", "msw", /^node:/],
    dts: true,
    esbuildPlugins: [versionOnly(packageJson)],
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
    esbuildPlugins: [lateBuiltins, versionOnly(packageJson), thirdPartyLicenses],
  },
]);
