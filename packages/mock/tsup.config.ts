import {
  requireBuiltins,
  thirdPartyLicenses,
  versionOnly,
  withoutDocstrings,
} from "@tryon/cli-kit/build";
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
const sharedData = (extension: string): NonNullable<Options["esbuildPlugins"]>[number] => ({
  name: "shared-data",
  setup(build) {
    build.onResolve(
      { filter: /generated\/(stock-images|control-page|api-docs-page)\.ts$/ },
      ({ path, kind }) =>
        kind === "entry-point"
          ? undefined
          : { path: `./${path.replace(/^.*\/|\.ts$/g, "")}.${extension}`, external: true },
    );
  },
});

const entry = {
  index: "src/index.ts",
  node: "src/node/index.ts",
  msw: "src/msw/index.ts",
  vitest: "src/vitest/index.ts",
};

const library = (format: "esm" | "cjs"): Options => ({
  ...shared,
  entry: {
    ...entry,
    "stock-images": "src/generated/stock-images.ts",
    "control-page": "src/generated/control-page.ts",
    "api-docs-page": "src/generated/api-docs-page.ts",
  },
  format: [format],
  platform: "neutral",
  // The subpaths import the server of the main entry, so that there is one copy of it.
  external: ["sharp", "msw", "vitest", /^@tryon\/mock/, /^node:/],
  // Jest loads no ES modules from CommonJS.
  noExternal: format === "cjs" ? [/^@noble\/hashes/, "tinyqueue"] : [],
  dts: { entry },
  // With `treeshake`, dynamic imports stay in CommonJS files. Jest cannot run those.
  treeshake: format === "esm",
  esbuildOptions(options) {
    options.supported = { "dynamic-import": format === "esm" };
  },
  plugins: [withoutDocstrings],
  esbuildPlugins: [sharedData(format === "cjs" ? "cjs" : "js"), versionOnly(packageJson)],
});

export default defineConfig([
  library("esm"),
  library("cjs"),
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
      sharedData("js"),
      versionOnly(packageJson),
      thirdPartyLicenses("preact"),
    ],
  },
]);
