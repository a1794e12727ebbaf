import { requireBuiltins, thirdPartyLicenses, versionOnly } from "@tryon/command-line/build";
import { defineConfig, type Options } from "tsup";

import packageJson from "./package.json" with { type: "json" };

const shared: Options = {
  target: "es2022",
  treeshake: true,
  removeNodeProtocol: false,
  // Only the composite engine loads it.
  external: ["sharp"],
};

/**
 * Loads modules of Node on first use. An import of node:http also loads the WebSocket client, which doubles the time that
 * Node takes to start.
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
    // Commander uses it only for subcommands that are separate programs.
    build.onResolve({ filter: /^node:child_process$/ }, ({ kind }) =>
      kind === "require-call" ? { path: "commander", namespace: "no-programs" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "no-programs" }, () => ({ contents: "" }));
  },
};

/** Large generated modules are files beside the bundles, once for each format. */
const sharedData: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "shared-data",
  setup(build) {
    const extension = build.initialOptions.format === "cjs" ? "cjs" : "js";
    build.onResolve({ filter: /generated\/(stock-images|control-page)\.ts$/ }, ({ path, kind }) =>
      kind === "entry-point"
        ? undefined
        : { path: `./${path.replace(/^.*\/|\.ts$/g, "")}.${extension}`, external: true },
    );
  },
};

export default defineConfig([
  {
    ...shared,
    entry: {
      index: "src/index.ts",
      node: "src/node/index.ts",
      msw: "src/msw/index.ts",
      "stock-images": "src/generated/stock-images.ts",
      "control-page": "src/generated/control-page.ts",
    },
    format: ["esm", "cjs"],
    platform: "neutral",
    external: ["sharp", "msw", /^node:/],
    dts: { entry: { index: "src/index.ts", node: "src/node/index.ts", msw: "src/msw/index.ts" } },
    esbuildPlugins: [sharedData, versionOnly(packageJson)],
  },
  {
    ...shared,
    // One file and its data start fast, and do not depend on installed packages.
    entry: { cli: "src/cli/main.ts" },
    format: ["esm"],
    platform: "node",
    noExternal: [/^(?!sharp$)/],
    minify: true,
    esbuildPlugins: [
      lateBuiltins,
      requireBuiltins,
      sharedData,
      versionOnly(packageJson),
      thirdPartyLicenses("preact"),
    ],
  },
]);
